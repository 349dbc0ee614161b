/** Quotas of a running server are exact under concurrent uploads of both kinds. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { driveClient, type DriveClient } from "./support/drive.ts";
import { type Client, PASSWORD, signIn } from "./support/session.ts";
import { startSharedWorkers } from "./support/shared-server.ts";
import type { Installation, RunningWaymark } from "./support/waymark.ts";

const SIZE = 30_000;
const AT_ONCE = 20;
/** Space for three files and a little more. */
const QUOTA = 3 * SIZE + 10_000;

let installation: Installation;
let server: RunningWaymark;
let admin: Client;

beforeAll(async () => {
  ({ installation, server, client: admin } = await startSharedWorkers());
});
afterAll(() => installation.remove());

async function account(username: string, quota: number): Promise<DriveClient & { id: number }> {
  const made = await admin.call("POST", "/users", { username, password: PASSWORD, quota_bytes: quota });
  expect(made.body.data).toMatchObject({ quota_bytes: quota });
  const { token } = await signIn(server.url, PASSWORD, username);
  return { ...driveClient(server.url, token), id: made.body.data.id };
}

const bytesOf = (seed: number, size = SIZE): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length: size }, (_, i) => (i * 31 + seed * 17 + ((i >> 8) ^ seed)) & 255);

const used = async (drive: DriveClient): Promise<number> =>
  (await drive.call("GET", "/files/usage")).body.data.used_bytes;

type Listed = { id: number; name: string; size: number };
const files = async (drive: DriveClient): Promise<Listed[]> =>
  (await drive.call("GET", "/folders")).body.data.files;

const sumOf = (listed: readonly Listed[]): number => listed.reduce((sum, { size }) => sum + size, 0);

const tusHeaders = { "Tus-Resumable": "1.0.0" };

async function begin(drive: DriveClient, name: string, size: number): Promise<Response> {
  return drive.send("/files/tus", {
    method: "POST",
    headers: {
      ...tusHeaders,
      "Upload-Length": String(size),
      "Upload-Metadata": `filename ${Buffer.from(name).toString("base64")}`,
    },
  });
}

const patch = (drive: DriveClient, path: string, offset: number, body: Uint8Array<ArrayBuffer>) =>
  drive.send(path, {
    method: "PATCH",
    body,
    headers: {
      ...tusHeaders,
      "Content-Type": "application/offset+octet-stream",
      "Upload-Offset": String(offset),
    },
  });

/** In two requests. Returns the status of the refusal, or 201. */
async function uploadByTus(drive: DriveClient, name: string, seed: number): Promise<number> {
  const made = await begin(drive, name, SIZE);
  if (made.status !== 201) return made.status;
  const path = made.headers.get("Location")!;
  const bytes = bytesOf(seed);
  const first = await patch(drive, path, 0, bytes.subarray(0, 10_000));
  if (first.status !== 204) return first.status;
  const last = await patch(drive, path, 10_000, bytes.subarray(10_000));
  return last.status === 204 ? 201 : last.status;
}

const uploadByForm = async (drive: DriveClient, name: string, seed: number): Promise<number> =>
  (await drive.upload(name, bytesOf(seed))).status;

const ways = [uploadByForm, uploadByTus];

async function expectExact(drive: DriveClient, answered: readonly number[]): Promise<Listed[]> {
  const listed = await files(drive);
  expect(listed.length).toBe(answered.filter((status) => status === 201).length);
  expect(answered.every((status) => status === 201 || status === 413)).toBe(true);
  expect(await used(drive)).toBe(sumOf(listed));
  expect(await used(drive)).toBeLessThanOrEqual(QUOTA);
  return listed;
}

async function expectNothingWrong(): Promise<void> {
  const { stdout, exitCode } = await installation.cli(["doctor", "--storage", "--json"]);
  expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 });
}

test.each([
  ["forms", (_i: number) => uploadByForm],
  ["resumable uploads", (_i: number) => uploadByTus],
  ["both", (i: number) => ways[i % 2]!],
])(
  "of twenty at once by %s those that fit are taken, and no byte more",
  async (kind, wayOf) => {
    const drive = await account(`parallel-${kind.replace(" ", "-")}`, QUOTA);
    const answered = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, i) => wayOf(i)(drive, `file ${i}`, i)),
    );
    const listed = await expectExact(drive, answered);
    // Uploads that reserved space first may have blocked others and then failed; none exceeds the quota.
    if (kind !== "both") expect(listed.length).toBe(3);
    const rest = QUOTA - sumOf(listed);
    const refused = await drive.upload("one too many", bytesOf(100, rest + 1));
    expect([refused.status, refused.body.code]).toEqual([413, 7021]);
    expect((await begin(drive, "one too many", rest + 1)).status).toBe(413);
    expect((await drive.upload("to the last byte", bytesOf(101, rest))).status).toBe(201);
    expect(await used(drive)).toBe(QUOTA);
    expect((await drive.upload("a byte", "x")).status).toBe(413);
    expect((await drive.upload("empty", "")).status).toBe(201);
    await expectNothingWrong();
  },
  60_000,
);

test("deleting frees space, and a replaced file counts with its new size", async () => {
  const drive = await account("replacing", QUOTA);
  const folder = await drive.folder("folder");
  const at = { folder: String(folder) };
  for (let i = 0; i < 3; i++) expect((await drive.upload(`${i}`, bytesOf(i), at)).status).toBe(201);
  expect((await drive.upload("3", bytesOf(3), at)).status).toBe(413);
  const { files: listed } = (await drive.call("GET", `/folders/${folder}`)).body.data;
  expect((await drive.call("DELETE", `/files/${listed[0].id}`)).status).toBe(200);
  expect(await used(drive)).toBe(2 * SIZE);
  // A larger file replaces it, then the same content is stored again: each file counts, even with shared bytes.
  expect((await drive.upload("0", bytesOf(9, SIZE + 5_000), at)).status).toBe(201);
  expect(await used(drive)).toBe(3 * SIZE + 5_000);
  expect((await drive.upload("twin of 1", bytesOf(1), at)).status).toBe(413);
  expect((await drive.call("DELETE", `/files/${listed[2].id}`)).status).toBe(200);
  expect((await drive.upload("twin of 1", bytesOf(1), at)).status).toBe(201);
  expect(await used(drive)).toBe(3 * SIZE + 5_000);
  expect((await drive.call("DELETE", `/files/${listed[1].id}`)).status).toBe(200);
  expect(await used(drive)).toBe(2 * SIZE + 5_000);
  // Twenty concurrent deletes and uploads of one name.
  const turns = await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, i) => {
      const made = await drive.upload("turn", bytesOf(i), at);
      if (made.status === 201) await drive.call("DELETE", `/files/${made.body.data.id}`);
      return made.status;
    }),
  );
  expect(turns).toContain(201);
  expect(turns.every((status) => [201, 409, 413].includes(status))).toBe(true);
  expect(await used(drive)).toBe(2 * SIZE + 5_000);
  // Ending an unfinished upload frees its reserved space.
  const made = await begin(drive, "begun", SIZE);
  expect(made.status).toBe(201);
  expect((await begin(drive, "another", SIZE)).status).toBe(413);
  expect(
    (await drive.send(made.headers.get("Location")!, { method: "DELETE", headers: tusHeaders })).status,
  ).toBe(204);
  expect(await uploadByTus(drive, "another", 7)).toBe(201);
  expect((await drive.call("DELETE", `/folders/${folder}`)).status).toBe(200);
  expect(await used(drive)).toBe(SIZE);
  await expectNothingWrong();
});

test("a new quota applies at once, and a smaller one deletes nothing", async () => {
  const drive = await account("changing", 10);
  expect((await drive.upload("ten", "0123456789")).status).toBe(201);
  expect((await drive.upload("more", "x")).status).toBe(413);
  await admin.call("PATCH", `/users/${drive.id}`, { quota_bytes: 11 });
  expect((await drive.upload("more", "x")).status).toBe(201);
  await admin.call("PATCH", `/users/${drive.id}`, { quota_bytes: 5 });
  expect((await drive.call("GET", "/files/usage")).body.data).toEqual({ used_bytes: 11, quota_bytes: 5 });
  expect((await drive.upload("even more", "x")).status).toBe(413);
  expect((await files(drive)).length).toBe(2);
  await admin.call("PATCH", `/users/${drive.id}`, { quota_bytes: 0 });
  expect((await drive.upload("even more", "x".repeat(1_000))).status).toBe(201);
});
