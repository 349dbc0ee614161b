/** Archives beyond the limits of plain ZIP files, of stub content. */
import { expect, test } from "bun:test";
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoredBlob } from "../blobs/repository.ts";
import { complaintOf, ZIP_PROGRAMS } from "./archive.test-support.ts";
import { createEntryLog } from "./entry-log.ts";
import { centralBytes, endBytes, localBytes, type ZipTotals } from "./zip-format.ts";
import { PIECE_BYTES, zipPieces } from "./zip-stream.ts";

const LIST = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    found = archive.infolist()
    print(json.dumps([len(found), [[i.filename, i.file_size, i.header_offset] for i in found[-3:]]]))
`;

const ZEROS = Buffer.alloc(PIECE_BYTES);

/** Zeros of these sizes; a null is a folder. */
async function writeZeros(path: string, sizes: readonly (number | null)[]): Promise<ZipTotals> {
  const log = createEntryLog({ pathOf: (name) => `${path}-${name}`, take: () => {}, giveBack: () => {} });
  const totals: ZipTotals = { entries: 0, contentBytes: 0, centralBytes: 0 };
  for (const [id, size] of sizes.entries()) {
    const name = `a name of usual length ${id}${size === null ? "/" : ""}`;
    const entry = { id, path: Buffer.from(name), size, modifiedAt: Date.UTC(2026, 10, 20) };
    totals.centralBytes += centralBytes(entry, totals.contentBytes);
    totals.contentBytes += localBytes(entry);
    totals.entries += 1;
    await log.append(entry);
  }
  const contents = {
    expectFolders: async () => {},
    find: async (ids: readonly number[]) =>
      new Map(ids.map((id) => [id, { id, size: sizes[id] } as unknown as StoredBlob])),
    open: async () => ({ read: async (into: Uint8Array) => into.fill(0).length, close: async () => {} }),
  };
  const file = openSync(path, "w");
  let length = 0;
  for await (const piece of zipPieces(log, totals, contents)) {
    // Holes stay holes.
    if (!ZEROS.subarray(0, piece.length).equals(piece)) writeSync(file, piece, 0, piece.length, length);
    length += piece.length;
  }
  ftruncateSync(file, length);
  closeSync(file);
  await log.close();
  expect(length).toBe(totals.contentBytes + totals.centralBytes + endBytes(totals));
  return totals;
}

async function within<T>(run: (path: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "waymark-zip64-"));
  try {
    return await run(join(folder, "a.zip"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const listed = (path: string) => JSON.parse(Bun.spawnSync(["python3", "-c", LIST, path]).stdout.toString());

test.each([65_534, 65_535, 100_000])(
  "%i entries",
  async (count) => {
    await within(async (path) => {
      const totals = await writeZeros(
        path,
        Array.from({ length: count }, (_, n) => (n % 10 === 0 ? null : n % 3)),
      );
      expect(totals.entries).toBe(count);
      for (const name of ZIP_PROGRAMS) expect(complaintOf(name, path)).toBe("");
      if (ZIP_PROGRAMS.includes("python3")) expect(listed(path)[0]).toBe(count);
    });
  },
  120_000,
);

test("a file of more than 4 GiB, and files behind the first 4 GiB", async () => {
  await within(async (path) => {
    const large = 2 ** 32 + 5;
    await writeZeros(path, [3, large, null, 7]);
    // Reading 4 GiB takes a minute on a busy machine: the entry behind them, and the list.
    expect(complaintOf("unzip", path, "*3")).toBe("");
    expect(complaintOf("bsdtar", path)).toBe("");
    if (!ZIP_PROGRAMS.includes("python3")) return;
    const [count, last] = listed(path);
    expect(count).toBe(4);
    expect(last.map(([, size]: [string, number]) => size)).toEqual([large, 0, 7]);
    expect(last[1][2]).toBeGreaterThan(2 ** 32);
  });
}, 300_000);
