/** A ZIP archive of content that nobody stores, made and thrown away in this process. */
import { join } from "node:path";
import { createEntryLog } from "../../src/files/archive/entry-log.ts";
import { centralBytes, localBytes, type ZipTotals } from "../../src/files/archive/zip-format.ts";
import { zipPieces } from "../../src/files/archive/zip-stream.ts";
import type { StoredBlob } from "../../src/files/blobs/repository.ts";

export async function zipOfZeros(
  count: number,
  size: number,
  folder: string,
): Promise<{ ms: number; growthMb: number }> {
  const begun = performance.now();
  const log = createEntryLog({ pathOf: (name) => join(folder, name), take: () => {}, giveBack: () => {} });
  const totals: ZipTotals = { entries: 0, contentBytes: 0, centralBytes: 0 };
  for (let id = 0; id < count; id++) {
    const entry = { id, path: Buffer.from(`file ${id}`), size, modifiedAt: 0 };
    totals.centralBytes += centralBytes(entry, totals.contentBytes);
    totals.contentBytes += localBytes(entry);
    totals.entries += 1;
    await log.append(entry);
  }
  const pieces = zipPieces(log, totals, {
    expectFolders: async () => {},
    find: async (ids) => new Map(ids.map((id) => [id, { id, size } as unknown as StoredBlob])),
    open: async () => ({ read: async (into) => into.length, close: async () => {} }),
  });
  const before = process.memoryUsage.rss();
  let peak = before;
  let made = 0;
  for await (const piece of pieces) {
    made += piece.length;
    if (made % 2 ** 30 < piece.length) peak = Math.max(peak, process.memoryUsage.rss());
  }
  await log.close();
  return { ms: performance.now() - begun, growthMb: (peak - before) / 2 ** 20 };
}
