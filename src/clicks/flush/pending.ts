import type { SegmentSource } from "./source.ts";
import { FIRST_RECORD } from "../journal/format.ts";
import { type ClickBatch, createBatch, openSegmentReader } from "../journal/reader.ts";

const MOST_CLICKS = 262_144;
/** Usually enough; allocating for all would take longer than the count. */
const FEW_CLICKS = 4_096;

/** Within the first 262,144 uncounted clicks. */
export function countPendingLinks(sources: readonly SegmentSource[]): number {
  const few = countIn(sources, createBatch(FEW_CLICKS));
  return few.isWhole ? few.links : countIn(sources, createBatch(MOST_CLICKS)).links;
}

/** All clicks, or a full batch. */
function countIn(sources: readonly SegmentSource[], batch: ClickBatch): { links: number; isWhole: boolean } {
  const pending = new Float64Array(batch.links.length);
  let size = 0;
  for (const { path, position, row, final } of sources) {
    const reader = size < pending.length ? openSegmentReader(path) : null;
    if (!reader) continue;
    reader.read(batch, position ?? row ?? FIRST_RECORD, final);
    reader.close();
    const taken = batch.links.subarray(0, Math.min(batch.count, pending.length - size));
    pending.set(taken, size);
    size += taken.length;
  }
  const sorted = pending.subarray(0, size).sort();
  const links = sorted.reduce((sum, link, at) => sum + (at === 0 || sorted[at - 1] !== link ? 1 : 0), 0);
  return { links, isWhole: size < pending.length };
}
