/** SIGTERM while requests are under way. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { FORM_TYPE, fileHead, formOf } from "../support/drive.ts";
import { until } from "../support/until.ts";
import { type Client, installWithPassword, signIn } from "../support/session.ts";
import type { Installation, RunningWaymark } from "../support/waymark.ts";
import { dial } from "../support/wire.ts";
import {
  ask,
  codeIn,
  post,
  prepare,
  request,
  storedBytes,
  VISIT,
  WRONG_LINK,
  WRONG_LINK_CODE,
} from "../support/wire-instance.ts";

const CONTENT = "0123456789abcde\n".repeat(1_000_000);
const FORM = formOf([fileHead("large.txt"), CONTENT]);

let installation: Installation;
let server: RunningWaymark;
let client: Client;
let auth: string;

beforeAll(async () => {
  installation = await installWithPassword();
  await prepare(installation);
});
afterAll(() => installation.remove());
beforeEach(async () => {
  server = await installation.serve();
  client = await signIn(server.url);
  auth = `Authorization: Bearer ${client.token}\r\n`;
});
afterEach(() => server.kill());

const open = () => dial(server.url);

/** The result of `stop` after it was noticed. */
async function stopping(): Promise<{ code: Promise<number> }> {
  const code = server.stop();
  await until(() => server.log().includes('"stopping'));
  return { code };
}

const upload = () =>
  request("/files/upload", `${auth}Content-Type: ${FORM_TYPE}\r\nContent-Length: ${FORM.length}\r\n`, "POST");

test("a started upload is stored and answered", async () => {
  const wire = open();
  const before = storedBytes(installation);
  wire.send(upload(), FORM.subarray(0, 3_000_000));
  await until(() => storedBytes(installation) > before + 200_000);
  const { code } = await stopping();
  wire.send(FORM.subarray(3_000_000));
  const answer = await wire.answer();
  expect([answer.status, answer.body.toString()]).toEqual([201, expect.any(String)]);
  wire.hangUp();
  expect(await code).toBe(0);
  server = await installation.serve();
  const { id } = JSON.parse(answer.body.toString()).data;
  const { token } = await signIn(server.url);
  const stored = await fetch(`${server.url}/files/${id}/download`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  expect((await stored.text()) === CONTENT).toBe(true);
});

test("a started body of JSON is read and answered", async () => {
  const wires = Array.from({ length: 10 }, open);
  for (const wire of wires)
    wire.send(post(auth, `Content-Length: ${WRONG_LINK.length}\r\n`, WRONG_LINK.slice(0, 5)));
  expect((await ask(open(), VISIT)).status).toBe(307);
  const { code } = await stopping();
  for (const wire of wires) wire.send(WRONG_LINK.slice(5));
  for (const wire of wires) {
    expect(codeIn(await wire.answer())).toBe(WRONG_LINK_CODE);
    wire.hangUp();
  }
  expect(await code).toBe(0);
});

test("a started download is completed", async () => {
  const { body } = await client.call("GET", "/../../folders");
  const { id } = body.data.files[0];
  const wire = open();
  wire.send(request(`/files/${id}/download`, auth));
  await wire.shows("\r\n\r\n");
  wire.socket.pause();
  const { code } = await stopping();
  wire.socket.resume();
  expect((await wire.answer()).body.equals(Buffer.from(CONTENT))).toBe(true);
  wire.hangUp();
  expect(await code).toBe(0);
});

test("connections that wait, live views and half a head do not hold it up, and nothing new is accepted", async () => {
  const [idle, live, half] = [open(), open(), open()];
  idle.send(VISIT);
  expect((await idle.answer()).status).toBe(307);
  live.send(request("/admin/v1/analytics/live", auth));
  await live.shows("event: clicks");
  half.send("GET /a/b HTTP/1.1\r\n");
  expect((await ask(open(), VISIT)).status).toBe(307);
  const began = performance.now();
  const { code } = await stopping();
  await idle.closed();
  await live.closed();
  expect(await code).toBe(0);
  expect(performance.now() - began).toBeLessThan(8_000);
  for (const wire of [idle, live, half]) wire.hangUp();
  await expect(fetch(server.url)).rejects.toThrow();
});
