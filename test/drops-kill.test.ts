/** A server that is killed while files arrive in a drop box stores whole forms or nothing, and takes no place for nothing. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import type { DriveClient } from "./support/drive.ts";
import { type Killed, startToBeKilled } from "./support/restarts.ts";
import { stranger, TUS } from "./support/stranger.ts";
import { until } from "./support/until.ts";
import type { Installation } from "./support/waymark.ts";

const MIB = 1024 * 1024;
const FILE = Buffer.alloc(MIB, "What a stranger sends. ").toString();

let installation: Installation;
let me: DriveClient;
let origin: string;
let restart: Killed["restart"];

beforeAll(async () => {
  ({ installation, me, origin, restart } = await startToBeKilled());
});
afterAll(() => installation?.remove());

async function box() {
  const folder = await me.folder(crypto.randomUUID());
  const limits = { max_bytes: 4 * MIB, max_files: 4 };
  const { data } = (await me.call("POST", `/folders/${folder}/drop`, limits)).body;
  return { folder, url: data.url as string, path: `/${data.code}` };
}

/** What the folder has, and what the box says it took. */
async function state(folder: number) {
  const files = (await me.call("GET", `/folders/${folder}`)).body.data.files as { size: number }[];
  const [taken] = (await me.call("GET", `/folders/${folder}/drop`)).body.data;
  const sizes = files.reduce((sum, { size }) => sum + size, 0);
  expect([taken.files, taken.bytes]).toEqual([files.length, sizes]);
  return files.length;
}

async function expectSound(): Promise<void> {
  await until(() => readdirSync(join(installation.dataDir, "files", ".staging")).length === 0, 30_000);
  const { stdout, exitCode } = await installation.cli(["doctor", "--storage", "--json"]);
  expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 });
}

const statusOf = (sending: Promise<Response>): Promise<number | "none"> =>
  sending.then(
    ({ status }) => status,
    () => "none",
  );

test.each([
  ["blob.written:2", 0],
  ["blob.joined", 0],
  ["blob.after-commit", 2],
])("at %s of a form with two files", async (point, stored) => {
  const { folder, url } = await box();
  await restart({ WAYMARK_FAULT: point });
  expect(await statusOf(stranger().put(url, { a: FILE, b: FILE }))).toBe("none");
  await restart();
  expect(await state(folder)).toBe(stored);
  // What is left of the box is left whole.
  const rest = Object.fromEntries(Array.from({ length: 4 - stored }, (_, n) => [`rest ${n}`, FILE]));
  expect(await statusOf(stranger().put(url, rest))).toBe(201);
  expect(await state(folder)).toBe(4);
  expect(await statusOf(stranger().put(url, { more: "" }))).toBe(409);
  await expectSound();
});

test("in the middle of a form", async () => {
  const { folder, url, path } = await box();
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.on("error", () => undefined);
  const head = '--x\r\nContent-Disposition: form-data; name="file"; filename="half"\r\n\r\n';
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=x\r\n` +
      `Content-Length: ${2 * MIB}\r\n\r\n${head}${FILE}`,
  );
  await until(() => readdirSync(join(installation.dataDir, "files", ".staging")).length > 0);
  await restart();
  expect(await state(folder)).toBe(0);
  await expectSound();
});

test("in a resumable upload, which then goes on", async () => {
  const { folder, url } = await box();
  const visitor = stranger();
  const made = await visitor.begin(url, "resumed", 2 * MIB);
  const address = origin + made.headers.get("location")!;
  expect((await visitor.append(address, 0, FILE)).status).toBe(204);
  await restart({ WAYMARK_FAULT: "blob.joined" });
  expect(await statusOf(visitor.append(address, MIB, FILE))).toBe("none");
  await restart();
  expect(await state(folder)).toBe(0);
  const { headers } = await visitor.send(address, { method: "HEAD", headers: TUS });
  const from = Number(headers.get("upload-offset"));
  expect(from).toBeGreaterThanOrEqual(MIB);
  expect((await visitor.append(address, from, "")).status).toBe(204);
  expect(await state(folder)).toBe(1);
  await expectSound();
});
