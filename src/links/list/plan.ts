/** Costs of a page by each plan, in links read in table order. */
import type { LinkOrder } from "./order.ts";
import type { IdRange, SortKeys } from "./repository.ts";
import type { ListPlan, Slice } from "./ordered-keys.repository.ts";

const RANGES = 2;
/** Of one match. */
const SORT_COST = 3;
const WALK_COST = 3;
/** A link along an index, with a test of its tag. */
const TAG_COST = 1;

export type Sizes = {
  matches: number;
  links: number;
  /** From this many links on an order by clicks uses ranks. */
  rankedFrom: number;
  /** Links of the tag with which a sort starts. */
  tagged?: number;
};

export function planFor(
  { order, offset, limit }: Slice,
  { matches, links, rankedFrom, tagged }: Sizes,
): ListPlan {
  if (order.sort === "expires_at" && tagged === undefined) return "walk";
  if (order.sort === "click_count" && links < rankedFrom) return "sort";
  const walk = walked({ offset, limit }, { matches, links });
  if (tagged !== undefined) return walk * TAG_COST <= tagged * SORT_COST ? "walk" : "sort";
  return walk * WALK_COST <= links + matches * SORT_COST ? "walk" : "sort";
}

/** A page under a tag, by the better plan. */
export const costFor = (slice: Pick<Slice, "offset" | "limit">, sizes: Required<Sizes>): number =>
  Math.min(walked(slice, sizes) * TAG_COST, sizes.tagged * SORT_COST);

/** Links along an index up to the end of a page, from the nearer end. */
export function walked(
  { offset, limit }: Pick<Slice, "offset" | "limit">,
  { matches, links }: Pick<Sizes, "matches" | "links">,
): number {
  const depth = Math.min(offset, Math.max(0, matches - offset - limit)) + limit;
  return (Math.min(depth, matches) / matches) * links;
}

/** Databases order codes by bytes, which are ASCII. */
export function comparing({ sort, descending }: LinkOrder): (a: SortKeys, b: SortKeys) => number {
  const way = descending ? -1 : 1;
  const byCode = (a: SortKeys, b: SortKeys) => (a.code < b.code ? -1 : a.code > b.code ? 1 : 0);
  if (sort === "code") return (a, b) => way * byCode(a, b);
  return (a, b) => way * (a.createdAt - b.createdAt || -byCode(a, b));
}

export const sizeOf = ({ from, to }: IdRange): number => to - from + 1;

/** For the readers of a file database. */
export function cut(all: IdRange): IdRange[] {
  const size = Math.ceil(sizeOf(all) / RANGES);
  const ranges: IdRange[] = [];
  for (let from = all.from; from <= all.to; from += size) {
    ranges.push({ from, to: Math.min(all.to, from + size - 1) });
  }
  return ranges;
}
