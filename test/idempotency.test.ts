/** Idempotency-Key over HTTP, to two processes on one database. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Client } from "./support/session.ts";
import { startSharedWorkers } from "./support/shared-server.ts";
import type { Installation } from "./support/waymark.ts";

let installation: Installation;
let client: Client;

beforeAll(async () => {
  ({ installation, client } = await startSharedWorkers());
});
afterAll(() => installation.remove());

async function post(path: string, body: unknown, key: string, url = client) {
  const isForm = body instanceof FormData;
  const answer = await url.fetch(path, {
    method: "POST",
    headers: { "Idempotency-Key": key, ...(!isForm && { "Content-Type": "application/json" }) },
    body: isForm ? body : JSON.stringify(body),
  });
  const { headers, status } = answer;
  return {
    status,
    replayed: headers.get("Idempotent-Replayed"),
    tag: headers.get("ETag"),
    text: await answer.text(),
  };
}

const TARGET = "https://example.com/";
const total = async () => (await client.call("GET", "/links")).body.pagination!.total;

test("a repeated request has the same answer and makes nothing", async () => {
  const key = crypto.randomUUID();
  const before = await total();
  const first = await post("/links", { target: TARGET }, key);
  expect([first.status, first.replayed, await total()]).toEqual([201, null, before + 1]);
  const again = await post("/links", { target: TARGET }, `"${key}"`);
  expect([again, await total()]).toEqual([{ ...first, replayed: "true" }, before + 1]);
  const other = await post("/links", { target: `${TARGET}other` }, key);
  expect([other.status, JSON.parse(other.text).error]).toEqual([422, "IdempotencyKeyReused"]);
  expect((await post("/links?domain=", { target: TARGET }, key)).status).toBe(422);
});

test("of ten at once one is carried out", async () => {
  const before = await total();
  const key = crypto.randomUUID();
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => post("/links", { target: TARGET }, key)),
  );
  expect(await total()).toBe(before + 1);
  for (const { status } of answers) expect([201, 409]).toContain(status);
  expect((await post("/links", { target: TARGET }, key)).replayed).toBe("true");
});

test("a refused request may be sent again, also with another body", async () => {
  const key = crypto.randomUUID();
  expect((await post("/links", { target: "nowhere" }, key)).status).toBe(400);
  expect((await post("/links", { target: TARGET, code: "idempotency-second" }, key)).status).toBe(201);
});

test("a token is shown again to who has the key, and is nowhere in the database", async () => {
  const key = crypto.randomUUID();
  const body = { name: "t", scopes: ["links:read"] };
  const first = await post("/tokens", body, key);
  const { token } = JSON.parse(first.text).data;
  expect((await post("/tokens", body, key)).text).toBe(first.text);
  const files = await Promise.all(
    ["waymark.db", "waymark.db-wal"].map((name) => Bun.file(`${installation.dataDir}/${name}`).bytes()),
  );
  for (const bytes of files) expect(Buffer.from(bytes).includes(token)).toBe(false);
});

test("uploads take no key, and one of 256 characters is refused", async () => {
  const form = new FormData();
  form.append("file", new File(["code,target\n"], "a.csv"));
  const refused = await post("/links/import", form, crypto.randomUUID());
  expect([refused.status, JSON.parse(refused.text).message]).toEqual([400, expect.stringMatching("take no")]);
  expect((await post("/links", { target: TARGET }, "k".repeat(256))).status).toBe(400);
});
