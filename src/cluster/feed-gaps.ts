/**
 * What a reader of the change feed has seen: the highest id, and the ranges of ids below it that were missing when
 * it passed them. A range leaves when its rows turn up, or after GAP_MS, because then nobody will commit them.
 */
import { chunked } from "../lib/chunked.ts";

/** Inclusive. */
export type MissingIds = { from: number; to: number };
type Gap = MissingIds & { since: number };

/** Ids are given out just before their commit; a commit that takes longer has lost its connection. */
const GAP_MS = 120_000;
/** Ranges asked for in one query. */
const RANGES_AT_ONCE = 50;
/** A reader in trouble keeps the newest. */
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
    /** The highest id seen, 0 before the first row. */
    top: (): number => top,

    /** Forgets all, and begins after the newest of these ids (ascending), whose own gaps are watched. */
    reset(ids: readonly number[], now: number): void {
      gaps = [];
      top = Math.max((ids[0] ?? 1) - 1, 0);
      pass(ids, now);
    },

    /** Notes ids (ascending, all above top) that were read. */
    advance: pass,

    /** The ranges still missing, in portions for a query each; what has waited too long is forgotten. */
    open(now: number): (readonly MissingIds[])[] {
      // A clock that was set back must not keep a gap for ever, nor one set forward forget it at once.
      for (const gap of gaps) gap.since = Math.min(gap.since, now);
      gaps = gaps.filter(({ since }) => now - since < GAP_MS);
      return [...chunked(gaps, RANGES_AT_ONCE)];
    },

    /** Notes ids that turned up in the gaps. */
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
