/**
 * An order cut into segments of some thousand links, ascending: where each ends, and each link's segment. With a set of
 * matches it tells how many precede a segment, so that a page far from the start is read from one segment.
 */

import { NEVER } from "./following.repository.ts";
import { createIdSet, type IdSet, LARGEST_ID } from "./id-set.ts";
import type { SortKey } from "./order.ts";
import type { ListPlace } from "./place.ts";

export type Segments = {
  /** The next links. `last`: their last place; null at the end. */
  append(ids: readonly number[], last: ListPlace | null): void;
  /** A new link, or one that moved. */
  place(id: number, at: ListPlace): void;
  bytes(): number;
  /** Too uneven to be useful. */
  isWorn(): boolean;
  /** Segments from one place to another, with deleted links: `inside`, and `edges` in the two at the ends. */
  between(from: ListPlace, to: ListPlace): { inside: IdSet; edges: number[] };
  /** Links that are in no segment. */
  missing(matches: IdSet): number[];
  find(matches: IdSet, offset: number, limit: number): Found;
};

/** The page follows `skip` matches after the place. `ids`: all these matches, unordered, if they are few. */
type Found = { after: ListPlace | null; skip: number; ids: number[] | null };

/** Links of the order in a segment. */
export const SEGMENT = 2000;
const WORN = 4;
/** What the repository loads at once. */
const FEW = 1000;

export function createSegments(sort: SortKey, size: number): Segments {
  const ends: ListPlace[] = [];
  /** By segment, from 1. */
  const sizes: number[] = [0, 0];
  /** By id; 0: none. */
  let segmentOf = new Uint16Array(0);

  function set(id: number, segment: number): void {
    if (id >= segmentOf.length) {
      const length = Math.min(LARGEST_ID + 1, Math.max(id + 1, Math.ceil(segmentOf.length * 1.2)));
      // Frees the old array now, not at a collection.
      segmentOf = new Uint16Array(segmentOf.buffer.transfer(length * 2));
    }
    const before = segmentOf[id]!;
    if (before !== 0) sizes[before]!--;
    segmentOf[id] = segment;
    sizes[segment]!++;
  }

  function segmentAt(at: ListPlace): number {
    let low = 0;
    for (let high = ends.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (isBefore(sort, ends[middle]!, at)) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  }

  return {
    append(ids, last) {
      for (const id of ids) set(id, sizes.length - 1);
      if (last === null) return;
      ends.push(last);
      sizes.push(0);
    },
    place: (id, at) => set(id, segmentAt(at)),
    between(from, to) {
      const [first, last] = [segmentAt(from), segmentAt(to)];
      const inside = createIdSet();
      const edges: number[] = [];
      for (let id = 0; id < segmentOf.length; id++) {
        const segment = segmentOf[id]!;
        if (segment > first && segment < last) inside.add(id);
        else if (segment !== 0 && (segment === first || segment === last)) edges.push(id);
      }
      return { inside, edges };
    },
    bytes: () => segmentOf.byteLength,
    isWorn: () => sizes.some((links) => links > WORN * size),
    missing(matches) {
      const ids: number[] = [];
      matches.forEach((id) => {
        if ((segmentOf[id] ?? 0) === 0) ids.push(id);
      });
      return ids;
    },
    find(matches, offset, limit) {
      const counts = new Uint32Array(sizes.length);
      matches.forEach((id) => {
        counts[segmentOf[id] ?? 0]!++;
      });
      let first = 1;
      let skip = offset;
      while (first < sizes.length - 1 && skip >= counts[first]!) skip -= counts[first++]!;
      let last = first;
      let found = counts[first]!;
      while (last < sizes.length - 1 && found < skip + limit) found += counts[++last]!;
      const ids: number[] = [];
      if (found <= FEW) {
        matches.forEach((id) => {
          const segment = segmentOf[id] ?? 0;
          if (segment >= first && segment <= last) ids.push(id);
        });
      }
      return { after: ends[first - 2] ?? null, skip, ids: found <= FEW ? ids : null };
    },
  };
}

function isBefore(sort: SortKey, a: ListPlace, b: ListPlace): boolean {
  const difference = sort === "code" ? 0 : (a.value ?? NEVER) - (b.value ?? NEVER);
  if (difference !== 0) return difference < 0;
  return sort === "created_at" ? a.tie > b.tie : a.tie < b.tie;
}
