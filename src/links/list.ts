/**
 * Pages of the list, with the exact total, over any number of links.
 *
 * Without a search the filter is served by indexes: count and find the page, at the same time or, where the page is
 * far from the beginning, first the one and then the other, from the end backwards. An order by clicks compares the
 * counts themselves as long as there are few links; sorting many of them takes a second, so then it walks along their
 * ranks, which are some seconds old (ranking.ts).
 *
 * A search has to look at every link, unless the database has an index for it, so it does that once. The ids are cut
 * into as many ranges as the built-in database has readers, which search at the same time, each until it has more
 * matches than may be kept. If that finds everything, total and page come from what was found. Otherwise it shows how
 * frequent matches are, and the ranges that aren't finished are gone on with where they stopped (all at once by a
 * server that spreads a scan over its cores itself). Where matches are so frequent that the order's index soon fills
 * the page, it is found there, and the rest is counted meanwhile. Else the rest is counted and sorted in one go, up
 * to the end of the page, which is then merged of this and what was seen before; only a page too far behind for that
 * is sorted by a query of its own.
 */
import type { Link } from "./link.ts";
import { isEverything, type LinkFilter } from "./link-filter.ts";
import type { LinkOrder, LinkQuery } from "./link-page.ts";
import {
  type IdRange,
  type LinkListRepository,
  MOST_SORTED,
  type ListPlan,
  type Slice,
  type SortKeys,
} from "./list.repository.ts";
import { createTotalCache } from "./total-cache.ts";

export type LinkPage = { links: Link[]; total: number };

export type LinkList = {
  page(query: LinkQuery): Promise<LinkPage>;
  /** To be called after any change of any link. */
  forgetTotals(): void;
};

/** The keys of all matches outside of the ranges `rest`. */
type Seen = { keys: readonly SortKeys[]; rest: readonly IdRange[] };

/** How a page is found; a sort may go range by range. */
type Way = { plan: ListPlan; ranges: readonly IdRange[] };

const WALK: Way = { plan: "walk", ranges: [] };
const RANGES = 2;
/** The most matches that are sorted by their ids instead of found by a second query. */
const FEW = 1000;
/** What sorting one match costs, in links looked at. */
const SORT_COST = 3;
/** How much dearer it is to look at a link along an index than in the table's own order. */
const WALK_COST = 3;
/** The share of the matches from which on a page is rather taken from the end, once that is known. */
const NEAR_END = 0.6;
/** How many matches are assumed where nothing is known of them. */
const AT_LEAST = 2000;

/** From so many links on (by the span of their ids) an order by clicks is one by ranks. */
const RANKED_FROM = 100_000;

export function createLinkList(
  repository: LinkListRepository,
  { rankedFrom = RANKED_FROM }: { rankedFrom?: number } = {},
): LinkList {
  const totals = createTotalCache();

  async function walked(filter: LinkFilter, slice: Slice): Promise<LinkPage> {
    const known = totals.get(filter);
    const isByClicks = slice.order.sort === "click_count";
    const needsSize = isByClicks || (known === undefined && isEverything(filter));
    const all = needsSize ? await repository.extent() : null;
    const size = all === null ? 0 : sizeOf(all);
    const way = (matches: number): Way =>
      isByClicks ? { plan: planFor(slice, matches, size), ranges: [] } : WALK;
    if (known !== undefined) {
      return { total: known.total, links: await loadPage(filter, slice, known.total, way(known.total)) };
    }
    const keep = totals.open(filter);
    const found = await countAndLoad(filter, slice, {
      count: () => repository.count(filter),
      guess: isEverything(filter) ? size : isByClicks ? null : AT_LEAST,
      way,
    });
    keep({ total: found.total, ids: null });
    return found;
  }

  async function searched(filter: LinkFilter, slice: Slice): Promise<LinkPage> {
    const known = totals.get(filter);
    if (known?.ids) return loadFew(known.ids, slice);
    const all = await repository.extent();
    if (all === null) return { total: 0, links: [] };
    const ranges = cut(all);
    const way = (matches: number): Way => ({ plan: planFor(slice, matches, sizeOf(all)), ranges });
    if (known !== undefined) {
      return { total: known.total, links: await loadPage(filter, slice, known.total, way(known.total)) };
    }
    const keep = totals.open(filter);
    const parts = await Promise.all(ranges.map((range) => look(filter, range)));
    const seen: Seen = {
      keys: parts.flatMap((part) => part.keys),
      rest: parts.flatMap((part) => part.rest ?? []),
    };
    const ids = seen.keys.map(({ id }) => id);
    if (ids.length <= FEW && seen.rest.length === 0) {
      keep({ total: ids.length, ids });
      return loadFew(ids, slice);
    }
    const share = ids.length / parts.reduce((sum, part) => sum + part.size, 0);
    const guess = share * sizeOf(all);
    const found = isShort(slice, way(guess).plan)
      ? await sorted(filter, slice, seen)
      : await countAndLoad(filter, slice, { count: () => countRest(filter, seen, share), guess, way });
    keep({ total: found.total, ids: null });
    return found;
  }

  async function countRest(filter: LinkFilter, { keys, rest }: Seen, share: number): Promise<number> {
    const counts = await Promise.all(
      shared(rest).map((ranges) => repository.countWithin(filter, ranges, share)),
    );
    return counts.reduce((total, count) => total + count, keys.length);
  }

  /** A server that spreads a scan over its cores itself is asked once for all the ranges. */
  const shared = (ranges: readonly IdRange[]): (readonly IdRange[])[] =>
    repository.sharesScans && ranges.length > 0 ? [ranges] : ranges.map((range) => [range]);

  /** Whether `sorted` can find it. */
  const isShort = ({ order, offset, limit }: Slice, plan: ListPlan): boolean =>
    plan === "sort" && order.sort !== "click_count" && offset + limit <= MOST_SORTED;

  /** Sorts what was seen with what comes first in the rest, which is counted on the way. */
  async function sorted(filter: LinkFilter, { order, offset, limit }: Slice, seen: Seen): Promise<LinkPage> {
    const parts = await Promise.all(
      shared(seen.rest).map((ranges) => repository.firstWithin(filter, ranges, order, offset + limit)),
    );
    const keys = [...seen.keys, ...parts.flatMap((part) => part.keys)].sort(comparing(order));
    const codes = keys.slice(offset, offset + limit).map(({ code }) => code);
    const total = parts.reduce((sum, part) => sum + part.total, seen.keys.length);
    return { total, links: await repository.load({ codes }, { order, offset: 0, limit }) };
  }

  /** Counts the matches and finds the page, at the same time where the page isn't near the end of a guess. */
  async function countAndLoad(
    filter: LinkFilter,
    slice: Slice,
    { count, guess, way }: { count(): Promise<number>; guess: number | null; way(matches: number): Way },
  ): Promise<LinkPage> {
    if (guess === null || slice.offset > guess * NEAR_END) {
      const total = await count();
      return { total, links: await loadPage(filter, slice, total, way(total)) };
    }
    // The page first: it is mostly the shorter wait where queries wait for one another.
    const [links, total] = await Promise.all([loadPage(filter, slice, null, way(guess)), count()]);
    return { total, links };
  }

  const loadFew = async (ids: readonly number[], slice: Slice): Promise<LinkPage> => ({
    total: ids.length,
    links: slice.offset >= ids.length ? [] : await repository.load({ ids }, slice),
  });

  /** Searches a range until there are too many matches; `rest` is what wasn't looked at. */
  async function look(filter: LinkFilter, range: IdRange) {
    const keys = await repository.keysWithin(filter, range, FEW + 1);
    const last = keys.length <= FEW ? range.to : keys[FEW]!.id;
    const rest = last === range.to ? null : { from: last + 1, to: range.to };
    return { keys, rest, size: last - range.from + 1 };
  }

  /** With a total the page is taken from the nearer end. */
  async function loadPage(
    filter: LinkFilter,
    slice: Slice,
    total: number | null,
    { plan, ranges }: Way,
  ): Promise<Link[]> {
    if (total !== null && slice.offset >= total) return [];
    const limit = total === null ? slice.limit : Math.min(slice.limit, total - slice.offset);
    const fromEnd = total === null ? null : total - slice.offset - limit;
    const backwards = fromEnd !== null && fromEnd < slice.offset;
    const order = backwards ? { ...slice.order, descending: !slice.order.descending } : slice.order;
    const at = { order, offset: backwards ? fromEnd : slice.offset, limit };
    if (isShort(at, plan) && !repository.sharesScans) {
      const page = await sorted(filter, at, { keys: [], rest: ranges });
      return backwards ? page.links.toReversed() : page.links;
    }
    const keys = await repository.pageKeys(filter, at, plan);
    return repository.load(keys, { order: slice.order, offset: 0, limit });
  }

  /** Which plan finds a slice of about `matches` among `links` sooner. */
  function planFor({ order, offset, limit }: Slice, matches: number, links: number): ListPlan {
    if (order.sort === "expires_at") return "walk";
    if (order.sort === "click_count" && links < rankedFrom) return "sort";
    const depth = Math.min(offset, Math.max(0, matches - offset - limit)) + limit;
    const walk = (Math.min(depth, matches) / matches) * links * WALK_COST;
    return walk <= links + matches * SORT_COST ? "walk" : "sort";
  }

  return {
    page({ filter, order, page, pageSize }) {
      const slice: Slice = { order, offset: (page - 1) * pageSize, limit: pageSize };
      return filter.search === null ? walked(filter, slice) : searched(filter, slice);
    },
    forgetTotals: totals.clear,
  };
}

/** The database's order of codes is that of their bytes, which are ASCII. */
function comparing({ sort, descending }: LinkOrder): (a: SortKeys, b: SortKeys) => number {
  const way = descending ? -1 : 1;
  const byCode = (a: SortKeys, b: SortKeys) => (a.code < b.code ? -1 : a.code > b.code ? 1 : 0);
  if (sort === "code") return (a, b) => way * byCode(a, b);
  return (a, b) => way * (a.createdAt - b.createdAt || -byCode(a, b));
}

const sizeOf = ({ from, to }: IdRange): number => to - from + 1;

function cut(all: IdRange): IdRange[] {
  const size = Math.ceil(sizeOf(all) / RANGES);
  const ranges: IdRange[] = [];
  for (let from = all.from; from <= all.to; from += size) {
    ranges.push({ from, to: Math.min(all.to, from + size - 1) });
  }
  return ranges;
}
