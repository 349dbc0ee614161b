import { afterAll, afterEach, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { PNG } from "pngjs";
import { ownCommand } from "../../lib/own-command.ts";
import { silentLogger } from "../../lib/logger.ts";
import { until } from "../../../test/support/until.ts";
import type { StoredFile } from "../tree/entry.ts";
import { MAKER_COMMAND } from "./frame.ts";
import { createMaker } from "./maker-process.ts";
import { createThumbnails } from "./service.ts";
import { createThumbnailStore } from "./store.ts";

const COMMAND = [...ownCommand(), MAKER_COMMAND];
const LIMITS = { pictureMs: 10_000, idleMs: 60_000, memoryBytes: 256 * 1024 * 1024 };
const folder = mkdtempSync(join(tmpdir(), "waymark-thumbnails-"));
afterAll(() => rmSync(folder, { recursive: true }));

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

function startMaker({ command = COMMAND, ...limits }: { command?: string[] } & Partial<typeof LIMITS> = {}) {
  const maker = createMaker(command, { ...LIMITS, ...limits });
  ends.push(maker.close);
  const make = (bytes: Uint8Array) =>
    maker.make(new Blob([new Uint8Array(bytes)]).stream(), { size: bytes.length, side: 512 });
  return { maker, pid: maker.pid, make };
}

function pngOf(width: number, height: number): Uint8Array<ArrayBuffer> {
  const png = new PNG({ width, height });
  png.data.fill(0x7f);
  return new Uint8Array(PNG.sync.write(png));
}

function chunkOf(type: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const edge = Buffer.alloc(8);
  edge.writeUInt32BE(data.length, 0);
  edge.writeUInt32BE(Bun.hash.crc32(named), 4);
  return Buffer.concat([edge.subarray(0, 4), named, edge.subarray(4)]);
}

/** Declares a size, and has as many compressed zeros. */
function bombOf(side: number, pixels: number): Uint8Array {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.set([8, 2], 8);
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  const data = deflateSync(Buffer.alloc(pixels));
  return Buffer.concat([
    signature,
    chunkOf("IHDR", head),
    chunkOf("IDAT", data),
    chunkOf("IEND", Buffer.alloc(0)),
  ]);
}

const PICTURE = pngOf(1200, 600);
const JPEG = new Uint8Array(await new Bun.Image(PICTURE).jpeg().bytes());
const WEBP = new Uint8Array(await new Bun.Image(PICTURE).webp().bytes());
const GIF = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
const sizeOf = async (bytes: Uint8Array | null) => {
  const { width, height, format } = await new Bun.Image(new Uint8Array(bytes!)).metadata();
  return `${format} ${width}x${height}`;
};

test("pictures become small, in their proportions", async () => {
  const { make } = startMaker();
  expect(await sizeOf(await make(PICTURE))).toBe("webp 512x256");
  expect(await sizeOf(await make(JPEG))).toBe("jpeg 512x256");
  expect(await sizeOf(await make(WEBP))).toBe("webp 512x256");
  expect(await sizeOf(await make(GIF))).toBe("webp 1x1");
});

test("what is no picture, is cut or claims a huge size has none, and the process goes on", async () => {
  const { make, pid } = startMaker();
  await make(GIF);
  const first = pid();
  for (const bytes of [
    Buffer.from("<script>alert(1)</script>"),
    Buffer.from("GIF89a<script>alert(1)</script>"),
    PICTURE.subarray(0, PICTURE.length / 2),
    PICTURE.subarray(0, 20),
    JPEG.subarray(0, JPEG.length / 2),
    JPEG.subarray(0, JPEG.length - 9),
    bombOf(30_000, 1_000_000),
    bombOf(65_500, 0),
    Buffer.alloc(5_000_000),
  ]) {
    expect(await make(bytes)).toBeNull();
  }
  // What follows a picture, such as a ZIP file, does not reach the thumbnail.
  const both = await make(Buffer.concat([JPEG, Buffer.from("PK\x03\x04secret")]));
  expect(Buffer.from(both!).includes("secret")).toBeFalse();
  expect(pid()).toBe(first);
});

test("a picture that unpacks to a gigabyte beside its pixels becomes small, one that is a line has none", async () => {
  const { make, pid } = startMaker();
  await make(GIF);
  const first = pid();
  const text = Buffer.concat([Buffer.from("a\0\0"), deflateSync(Buffer.alloc(1_000_000))]);
  const head = PICTURE.subarray(0, PICTURE.length - 12);
  const bomb = Buffer.concat([
    head.subarray(0, 33),
    ...Array.from({ length: 1_000 }, () => chunkOf("zTXt", text)),
    head.subarray(33),
    chunkOf("IEND", Buffer.alloc(0)),
  ]);
  expect(await sizeOf(await make(bomb))).toBe("webp 512x256");
  expect(await make(pngOf(33_000, 1))).toBeNull();
  expect(pid()).toBe(first);
});

test("the process can't open anything", async () => {
  const { make, pid } = startMaker();
  await make(GIF);
  const limits = await Bun.file(`/proc/${pid()}/limits`).text();
  expect(limits).toMatch(/Max open files +0 +0/);
  expect(limits).toMatch(/Max file size +0 +0/);
  expect(await Bun.file(`/proc/${pid()}/environ`).text()).not.toContain("PATH=");
  expect(await Bun.file(`/proc/${pid()}/oom_score_adj`).text()).toBe("1000\n");
  // All threads are filtered, where the kernel can.
  for (const thread of readdirSync(`/proc/${pid()}/task`)) {
    const status = await Bun.file(`/proc/${pid()}/task/${thread}/status`).text();
    expect(status).toMatch(/^NoNewPrivs:\s1$/m);
    if (status.includes("Seccomp:")) expect(status).toMatch(/^Seccomp:\s2$/m);
  }
});

test("a process that hangs, grows, ends, is killed or sends too much costs a thumbnail, and the next one starts anew", async () => {
  for (const maker of [
    startMaker({ command: ["sleep", "60"], pictureMs: 100 }),
    startMaker({ command: ["sleep", "60"], memoryBytes: 1 }),
    startMaker({ command: ["false"] }),
    startMaker({ command: ["sh", "-c", "printf '\\377\\377\\377\\377'; sleep 60"] }),
  ]) {
    expect(await maker.make(PICTURE)).toBeNull();
    expect(maker.pid()).toBeNull();
  }
  const maker = startMaker();
  await maker.make(GIF);
  process.kill(maker.pid()!, "SIGKILL");
  await maker.make(GIF);
  expect(await sizeOf(await maker.make(GIF))).toBe("webp 1x1");
});

test("the process ends when nobody needs it", async () => {
  const maker = startMaker({ idleMs: 1 });
  await maker.make(GIF);
  await until(() => maker.pid() === null);
});

/** Files from here on came from strangers. */
const DROPPED = 1_000;

const fileOf = (blobId: number, size: number): StoredFile => ({
  kind: "file",
  id: blobId,
  accountId: 1,
  diskTime: null,
  parentId: 0,
  name: "picture",
  blobId,
  size,
  mimeType: "image/png",
  modifiedAt: 0,
  sha256: "",
  versionsBytes: 0,
  createdBy: null,
  createdAt: 0,
  updatedAt: 0,
});

type Contents = Map<number, Uint8Array | Promise<Uint8Array> | Error>;

function startThumbnails(contents: Contents, mostBytes = 1_000_000) {
  const dir = join(folder, crypto.randomUUID());
  const live = new Set(contents.keys());
  const clock = { now: () => Date.now() };
  const store = createThumbnailStore({ folder: dir, liveOf: async () => live, mostBytes, clock });
  const made: number[] = [];
  const opened: number[] = [];
  const blobs = {
    async open(blobId: number) {
      made.push(blobId);
      const bytes = await contents.get(blobId)!;
      if (bytes instanceof Error) throw bytes;
      return { size: bytes.length, sha256: "", body: new Blob([new Uint8Array(bytes)]) };
    },
  };
  const isDropped = async (fileId: number) => {
    opened.push(fileId);
    return fileId >= DROPPED;
  };
  const { maker } = startMaker();
  const thumbnails = createThumbnails({ blobs, store, maker, isDropped, logger: silentLogger });
  const files = () => readdirSync(dir, { recursive: true }).filter((name) => String(name).includes("/"));
  return { thumbnails, store, made, opened, live, dir, files };
}

const asker = { accountId: 1, signal: new AbortController().signal };

test("a picture is read once, also when many ask at the same time or it has no thumbnail", async () => {
  const contents = new Map([
    [1, PICTURE],
    [2, Buffer.from("no picture")],
  ]);
  const { thumbnails, made } = startThumbnails(contents);
  const file = fileOf(1, PICTURE.length);
  const many = await Promise.all(Array.from({ length: 10 }, () => thumbnails.find(file, asker)));
  for (const bytes of many) expect(bytes).toEqual(many[0]!);
  expect(await thumbnails.find(file, asker)).toEqual(many[0]!);
  const none = fileOf(2, contents.get(2)!.length);
  expect(await thumbnails.find(none, asker)).toBeNull();
  expect(await thumbnails.find(none, asker)).toBeNull();
  expect(made).toEqual([1, 2]);
});

test("a storage that is away is tried again; who has left is forgotten", async () => {
  const contents = new Map<number, Uint8Array | Error>([[1, new Error("away")]]);
  const { thumbnails, made } = startThumbnails(contents);
  const file = fileOf(1, PICTURE.length);
  await expect(thumbnails.find(file, asker)).rejects.toThrow("away");
  contents.set(1, PICTURE);
  expect(await thumbnails.find(file, asker)).not.toBeNull();
  const others = made.length;
  await expect(thumbnails.find(fileOf(3, 9), { accountId: 1, signal: AbortSignal.abort() })).rejects.toThrow(
    "try again",
  );
  expect(made.length).toBe(others);
});

test("accounts take turns, and come before what strangers see or have sent", async () => {
  const ids = [1, 2, 3, 4, 5, 6, 7, DROPPED];
  const gate = Promise.withResolvers<Uint8Array>();
  const contents = new Map<number, Uint8Array | Promise<Uint8Array>>(ids.map((id) => [id, GIF]));
  const { thumbnails, made, opened } = startThumbnails(contents.set(1, gate.promise));
  const all: Promise<unknown>[] = [];
  async function ask(id: number, accountId: number | null, waiting = all.length + 1): Promise<void> {
    all.push(thumbnails.find(fileOf(id, GIF.length), { ...asker, accountId }));
    await until(() => thumbnails.waiting() === waiting);
  }
  for (const id of [1, 2]) await ask(id, id === 1 ? 10 : null);
  for (const id of [DROPPED, 3, 4, 5]) await ask(id, 10);
  await ask(6, 20);
  await ask(7, null);
  // A stranger came before.
  await ask(7, 20, 8);
  await until(() => opened.includes(7));
  gate.resolve(GIF);
  await Promise.all(all);
  expect(made).toEqual([1, 3, 6, 4, 7, 5, 2, DROPPED]);
});

test("cleaning up removes those of removed content, the oldest above the bound, and old failures", async () => {
  const { store, live, dir, files } = startThumbnails(new Map(), 250);
  for (const id of [1, 2, 257, 4]) {
    live.add(id);
    await store.put(id, new Uint8Array(100).fill(1));
    utimesSync(join(dir, (id % 256).toString(16).padStart(2, "0"), String(id)), id, id);
  }
  live.delete(4);
  live.add(5);
  await store.put(5, null);
  live.add(6);
  await store.put(6, null);
  utimesSync(join(dir, "06/6"), 0, 0);
  writeFileSync(join(dir, "06/left.new"), "");
  utimesSync(join(dir, "06/left.new"), 0, 0);
  await store.sweep();
  expect(files().map(String).sort()).toEqual(["01/257", "02/2", "05/5"]);
  await store.remove(2);
  expect(await store.find(2)).toBeUndefined();
  expect(await store.find(5)).toBeNull();
});
