/** Enforced passwords of links, with the real program on two workers. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Client, startSignedIn } from "./support/session.ts";
import { until } from "./support/until.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const TARGET = "https://secret.example/there";
const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

let installation: Installation;
let server: RunningWaymark;
let client: Client;
beforeAll(async () => {
  ({ installation, server, client } = await startSignedIn({ WAYMARK__SERVER__WORKERS: "2" }));
  await client.call("POST", "/links", { code: "a/b", target: TARGET, password: "open sesame" });
});
afterAll(() => installation.remove());

async function visit(path: string, init: RequestInit = {}) {
  const headers = { "User-Agent": BROWSER, Connection: "close", ...(init.headers as object) };
  const answer = await fetch(server.url + path, { redirect: "manual", keepalive: false, ...init, headers });
  return { status: answer.status, headers: answer.headers, body: await answer.text() };
}
const give = (password: string, accept = "text/html") =>
  visit("/a/b?x=1", {
    method: "POST",
    body: new URLSearchParams({ password }).toString(),
    headers: { Accept: accept, "Content-Type": "application/x-www-form-urlencoded" },
  });
const enforce = (value: string) => client.call("PUT", "/config/features.enforce_link_passwords", { value });
const location = async (headers = {}) => (await visit("/a/b?x=1", { headers })).headers.get("location");

test("a password is stored only, until the setting says otherwise, on every worker at once", async () => {
  expect(await location()).toBe(TARGET);
  expect((await give("open sesame")).status).toBe(405);
  await enforce("true");
  for (let n = 0; n < 10; n++) {
    const asked = await visit("/a/b");
    expect([asked.status, asked.headers.get("location")]).toEqual([401, null]);
    expect(asked.body).toContain('type="password"');
    expect(asked.body + JSON.stringify([...asked.headers])).not.toContain("secret.example");
    expect(asked.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(asked.headers.get("cache-control")).toContain("no-store");
  }
});

test("the right password opens the link, for programs and browsers; wrong ones are limited", async () => {
  const wrong = await give("open");
  expect([wrong.status, wrong.headers.get("set-cookie"), wrong.body.includes("wrong")]).toEqual([
    403,
    null,
    true,
  ]);
  const page = await give("open sesame");
  expect([page.status, page.headers.get("location")]).toEqual([200, null]);
  expect(page.body).toContain('content="0; url=/a/b?x=1"');
  expect(page.body).not.toContain("secret.example");
  const program = await give("open sesame", "*/*");
  expect([program.status, program.headers.get("location")]).toEqual([303, "/a/b?x=1"]);
  const Cookie = program.headers.get("set-cookie")!.split(";")[0]!;
  expect([await location({ Cookie }), await location()]).toEqual([TARGET, null]);
  // The visit before, and the one with the cookie.
  await until(async () => (await client.call("GET", "/links/a%2Fb")).body.data.click_count === 2);
  await client.call("PATCH", "/links/a%2Fb", { password: "another one" });
  expect(await location({ Cookie })).toBeNull();
  const statuses = [];
  for (let n = 0; n < 8; n++) statuses.push((await give("guess")).status);
  expect(statuses).toContain(429);
  await enforce("false");
  expect(await location()).toBe(TARGET);
});
