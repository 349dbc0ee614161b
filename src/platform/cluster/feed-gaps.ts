/**
 * The highest id read, and the ranges of missing ids below it. A range ends when its rows appear, or after GAP_MS: then
 * its transactions were rolled back.
 */
import { chunked } from "../../lib/chunked.ts";

/** Inclusive. */
export type MissingIds = { from: number; to: number };
type Gap = MissingIds & { since: number };

/** Ids are assigned just before the commit. A longer commit has lost its connection. */
const GAP_MS = 120_000;
/** Ranges per query. */
const RANGES_AT_ONCE = 50;
/** Beyond it the reader keeps the newest. */
const MAX_GAPS = 5_000;

export function createGaps() {
  let top = 0;
  let gaps: Gap[] = [];

  const pass = (ids: readonly number[], now: number) => {
    for (const id of ids) {
      if (id > top + 1) gaps.push({ from: top + 1, to: id - 1, since: now });
      top = Math.max(top, id);
    }
    if (gaps.length > MAX_GAPS) gaps = gaps.slice(-MAX_GAPS);
  };

  return {
    /** 0 before the first row. */
    top: (): number => top,

    /** Restarts after the newest of these ids (ascending). */
    reset(ids: readonly number[], now: number): void {
      gaps = [];
      top = Math.max((ids[0] ?? 1) - 1, 0);
      pass(ids, now);
    },

    /** Adds ids that were read (ascending, above top). */
    advance: pass,

    /** The missing ids in portions, one for each query. Drops expired ranges. */
    open(now: number): (readonly MissingIds[])[] {
      // The clock may have been set back.
      for (const gap of gaps) gap.since = Math.min(gap.since, now);
      gaps = gaps.filter(({ since }) => now - since < GAP_MS);
      return [...chunked(gaps, RANGES_AT_ONCE)];
    },

    found(ids: readonly number[]): void {
      for (const id of ids) {
        gaps = gaps.flatMap((gap) => {
          if (id < gap.from || id > gap.to) return [gap];
          const parts: Gap[] = [];
          if (id > gap.from) parts.push({ ...gap, to: id - 1 });
          if (id < gap.to) parts.push({ ...gap, from: id + 1 });
          return parts;
        });
      }
    },
  };
}
