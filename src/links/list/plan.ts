/**
 * How a query finds the links of a page: along the index of their order, testing each link, or from the links of one
 * condition, which it tests and sorts. The choice needs no statistics of the database, which may be missing or old.
 */
import { EVERYTHING, isEverything, type LinkFilter } from "./filter.ts";
import { isByClicks, type LinkOrder, type SortKey } from "./query.ts";

/**
 * The condition with which a query starts; `ids`: with these links; `scan`:
 * with all, for a search that no index serves; `owners`: of several. The other conditions test rows.
 */
export type Start =
  | "tag"
  | "search"
  | "scan"
  | "owner"
  | "owners"
  | "domain"
  | "created"
  | "expired"
  | "held"
  | "dead"
  | { ids: readonly number[] };

/** `links`: how many it has; Infinity: more than are counted. */
export type SizedStart = { start: Start; links: number };

/** `from`: null for all links. */
export type ListPlan = { by: "walk" } | { by: "sort"; from: Start | null };

export const WALK: ListPlan = { by: "walk" };

/** Links of a start that are counted. */
export const COUNTED = 100_000;
/** How many times as many of a tag are sorted: their number is kept, and they are found in narrow rows. */
export const TAGGED = 2.5;
/** So few are sorted whatever a walk might cost: matches are seldom spread evenly. */
export const SORTED = 20_000;
/** Cost of a link that is read and sorted, and of one passed along the index of clicks, in links passed along others. */
const SORT_COST = 4;
const RANK_COST = 3;
/** Cost of a passed link whose row must be read, from anywhere in the table. */
const ROW_COST = 12;
/** Deeper pages of a search without an index read the table, which costs less than a walk. */
const SCANNED_FROM = 1_000;

/** Conditions that bound the index of an order. */
export const BOUNDS: Record<SortKey, readonly Start[]> = {
  created_at: ["owner", "owners", "created"],
  code: ["domain"],
  expires_at: ["expired"],
  human_clicks: [],
  click_count: [],
};

/** Conditions that need no row of `links` along the order; by creation rows lie beside each other. */
const NARROW: Record<SortKey, readonly (keyof LinkFilter)[]> = {
  created_at: ["tags", "owners", "domain", "createdAfter", "createdBefore", "state", "search"],
  code: ["tags", "domain"],
  expires_at: ["tags", "state"],
  human_clicks: ["tags"],
  click_count: ["tags"],
};

function costOfWalk(sort: SortKey, filter: LinkFilter): number {
  const others = Object.fromEntries(NARROW[sort].map((name) => [name, EVERYTHING[name]]));
  if (!isEverything({ ...filter, ...others })) return ROW_COST;
  return isByClicks(sort) ? RANK_COST : 1;
}

export function smallest(starts: readonly SizedStart[]): SizedStart | null {
  return starts.reduce<SizedStart | null>(
    (least, one) => (least === null || one.links < least.links ? one : least),
    null,
  );
}

/** `matches`: about how many links fulfil all conditions; null: as many as the smallest start has. */
export type Sizes = {
  filter: LinkFilter;
  starts: readonly SizedStart[];
  matches: number | null;
  links: number;
  rankedFrom: number;
};

/** The start of a count; null if it reads all links. */
export function startOfCount(starts: readonly SizedStart[]): Start | null {
  const least = smallest(starts);
  const isScan = least?.start === "scan" || (least?.start === "search" && least.links > COUNTED);
  return least === null || isScan ? null : least.start;
}

/** @param depth links from the start of the order to the end of the page */
export function planFor(
  { sort }: LinkOrder,
  depth: number,
  { filter, starts, matches, links, rankedFrom }: Sizes,
): ListPlan {
  const least = smallest(starts);
  if (isByClicks(sort) && links < rankedFrom) return { by: "sort", from: least?.start ?? null };
  if (least === null || BOUNDS[sort].includes(least.start)) return WALK;
  if (least.links === Number.POSITIVE_INFINITY) {
    const scans = depth > SCANNED_FROM && starts.some(({ start }) => start === "scan");
    return scans ? { by: "sort", from: null } : WALK;
  }
  const matching = matches ?? least.links;
  const passed = matching > depth ? (depth / matching) * links : links;
  const walkCost = passed * costOfWalk(sort, filter);
  const isShort = least.links <= SORTED || least.links * SORT_COST <= walkCost;
  return isShort ? { by: "sort", from: least.start } : WALK;
}
