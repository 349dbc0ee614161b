/** Enforced passwords of links, with the real program on two workers. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Client, whenAllowed } from "./support/session.ts";
import { resetSettings, startSharedWorkers } from "./support/shared-server.ts";
import { until } from "./support/until.ts";
import type { RunningWaymark } from "./support/waymark.ts";

const TARGET = "https://secret.example/there";
const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

let server: RunningWaymark;
let client: Client;
beforeAll(async () => {
  ({ server, client } = await startSharedWorkers());
  await client.call("POST", "/links", { code: "locked/link", target: TARGET, password: "open sesame" });
});
afterAll(() => resetSettings(client, ["features.enforce_link_passwords"]));

async function visit(path: string, init: RequestInit = {}) {
  const headers = { "User-Agent": BROWSER, Connection: "close", ...(init.headers as object) };
  const answer = await fetch(server.url + path, { redirect: "manual", keepalive: false, ...init, headers });
  return { status: answer.status, headers: answer.headers, body: await answer.text() };
}
const give = (password: string, accept = "text/html") =>
  visit("/locked/link?x=1", {
    method: "POST",
    body: new URLSearchParams({ password }).toString(),
    headers: { Accept: accept, "Content-Type": "application/x-www-form-urlencoded" },
  });
const enforce = (value: string) => client.call("PUT", "/config/features.enforce_link_passwords", { value });
const location = async (headers = {}) =>
  (await visit("/locked/link?x=1", { headers })).headers.get("location");

test("a password is stored only, until the setting says otherwise, on every worker at once", async () => {
  expect(await location()).toBe(TARGET);
  expect((await give("open sesame")).status).toBe(405);
  await enforce("true");
  for (let n = 0; n < 10; n++) {
    const asked = await visit("/locked/link");
    expect([asked.status, asked.headers.get("location")]).toEqual([401, null]);
    expect(asked.body).toContain('type="password"');
    expect(asked.body + JSON.stringify([...asked.headers])).not.toContain("secret.example");
    expect(asked.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(asked.headers.get("cache-control")).toContain("no-store");
  }
});

test("the right password opens the link, for programs and browsers; wrong ones are limited", async () => {
  const wrong = await whenAllowed(() => give("open"));
  expect([wrong.status, wrong.headers.get("set-cookie"), wrong.body.includes("wrong")]).toEqual([
    403,
    null,
    true,
  ]);
  const page = await whenAllowed(() => give("open sesame"));
  expect([page.status, page.headers.get("location")]).toEqual([200, null]);
  expect(page.body).toContain('content="0; url=/locked/link?x=1"');
  expect(page.body).not.toContain("secret.example");
  const program = await whenAllowed(() => give("open sesame", "*/*"));
  expect([program.status, program.headers.get("location")]).toEqual([303, "/locked/link?x=1"]);
  const Cookie = program.headers.get("set-cookie")!.split(";")[0]!;
  expect([await location({ Cookie }), await location()]).toEqual([TARGET, null]);
  // The visit before, and the one with the cookie.
  await until(async () => (await client.call("GET", "/links/locked%2Flink")).body.data.click_count === 2);
  await client.call("PATCH", "/links/locked%2Flink", { password: "another one" });
  expect(await location({ Cookie })).toBeNull();
  const statuses = [];
  for (let n = 0; n < 8; n++) statuses.push((await give("guess")).status);
  expect(statuses).toContain(429);
  await enforce("false");
  expect(await location()).toBe(TARGET);
});
