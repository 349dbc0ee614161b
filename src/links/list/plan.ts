/**
 * How a query finds the links of a page: along the index of their order, testing each link, or from the links of one
 * condition, which it tests and sorts. The choice needs no statistics of the database, which may be missing or old.
 */
import type { LinkOrder, SortKey } from "./order.ts";

/**
 * The condition with which a query starts; `ids`: with these links; `scan`:
 * with all, for a search that no index serves. The other conditions test rows.
 */
export type Start =
  | "tag"
  | "search"
  | "scan"
  | "owner"
  | "domain"
  | "created"
  | "expired"
  | { ids: readonly number[] };

/** `links`: how many it has; Infinity: more than are counted. */
export type SizedStart = { start: Start; links: number };

/** `from`: null for all links. */
export type ListPlan = { by: "walk" } | { by: "sort"; from: Start | null };

export const WALK: ListPlan = { by: "walk" };

/** Links of a start that are counted. */
export const COUNTED = 100_000;
/** So few are sorted whatever a walk might cost: matches are seldom spread evenly. */
const SORTED = 20_000;
/** Of a link that is read and sorted, in links passed along an index; of one passed along that of clicks. */
const SORT_COST = 4;
const RANK_COST = 3;
/** Deeper pages of a search without an index read the table, which costs less than a walk. */
const SCANNED_FROM = 1_000;

/** Conditions that bound the index of an order. */
export const BOUNDS: Record<SortKey, readonly Start[]> = {
  created_at: ["owner", "created"],
  code: ["domain"],
  expires_at: ["expired"],
  click_count: [],
};

export function smallest(starts: readonly SizedStart[]): SizedStart | null {
  return starts.reduce<SizedStart | null>(
    (least, one) => (least === null || one.links < least.links ? one : least),
    null,
  );
}

/** Null: a count reads all links. */
export function startOfCount(starts: readonly SizedStart[]): Start | null {
  const least = smallest(starts);
  const isScan = least?.start === "scan" || (least?.start === "search" && least.links > COUNTED);
  return least === null || isScan ? null : least.start;
}

/** @param depth links from the start of the order to the end of the page */
export function planFor(
  { sort }: LinkOrder,
  depth: number,
  { starts, links, rankedFrom }: { starts: readonly SizedStart[]; links: number; rankedFrom: number },
): ListPlan {
  const least = smallest(starts);
  if (sort === "click_count" && links < rankedFrom) return { by: "sort", from: least?.start ?? null };
  if (least === null || BOUNDS[sort].includes(least.start)) return WALK;
  if (least.links > COUNTED) {
    const scans = depth > SCANNED_FROM && starts.some(({ start }) => start === "scan");
    return scans ? { by: "sort", from: null } : WALK;
  }
  const passed = (Math.min(depth, least.links) / least.links) * links;
  const walkCost = passed * (sort === "click_count" ? RANK_COST : 1);
  const isShort = least.links <= SORTED || least.links * SORT_COST <= walkCost;
  return isShort ? { by: "sort", from: least.start } : WALK;
}
