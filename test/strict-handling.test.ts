/** `Prefer: handling=strict` over HTTP. Without it the same requests are carried out. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Client } from "./support/session.ts";
import { startShared } from "./support/shared-server.ts";
import type { Installation } from "./support/waymark.ts";

let installation: Installation;
let client: Client;

beforeAll(async () => {
  ({ installation, client } = await startShared());
});
afterAll(() => installation.remove());

const TARGET = "https://example.com/";
const DAY = "2026-11-20";

async function send(method: string, path: string, body: object | undefined, isStrict: boolean) {
  const answer = await client.fetch(path, {
    method,
    headers: { "Content-Type": "application/json", ...(isStrict && { Prefer: "handling=strict" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const json = (await answer.json()) as { details?: { field: string; message: string }[] };
  return { status: answer.status, applied: answer.headers.get("Preference-Applied"), details: json.details };
}

test.each([
  ["POST", "/links", { target: TARGET, tittle: "x", expires: "7d" }, ["tittle", "expires"], 201],
  ["GET", "/links?serach=x&page=1", undefined, ["serach"], 200],
  ["GET", "/auth/me?x=1", undefined, ["x"], 200],
  ["POST", "/links?x=1", { target: TARGET, code: "query" }, ["x"], 201],
  [
    "POST",
    "/links/batch",
    { links: [{ target: TARGET }, { target: TARGET, tag: "x" }] },
    ["links.1.tag"],
    200,
  ],
  ["GET", `/analytics/trends?start_date=${DAY}`, undefined, ["start_date"], 200],
  ["GET", `/analytics/trends?start_date=yesterday&end_date=${DAY}`, undefined, ["start_date"], 200],
] as const)("%s %s", async (method, path, body, fields, status) => {
  const strict = await send(method, path, body, true);
  expect([strict.status, strict.applied]).toEqual([400, "handling=strict"]);
  expect(strict.details!.map(({ field }) => field)).toEqual([...fields]);
  const lenient = await send(method, path, body, false);
  expect([lenient.status, lenient.applied]).toEqual([status, null]);
});

test("what is right is carried out", async () => {
  const rules = [{ if: { query: { any: true } }, target: TARGET }];
  const made = await send(
    "POST",
    "/links",
    { target: TARGET, code: "right", rules, card: { title: "t" } },
    true,
  );
  expect([made.status, made.applied]).toEqual([201, "handling=strict"]);
  const range = `start_date=${DAY}&end_date=${DAY}`;
  for (const path of [
    `/analytics/trends?${range}`,
    "/links?tag=a&tag=b&only_active=true",
    "/links/right?domain=",
  ])
    expect((await send("GET", path, undefined, true)).status).toBe(200);
});
