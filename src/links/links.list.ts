/**
 * Pages of the list, with the exact total, over any number of links.
 *
 * Without a search the filter is served by indexes: count and find the page, at the same time or, where the page is
 * far from the beginning, first the one and then the other, from the end backwards.
 *
 * A search has to look at every link, unless the database has an index for it, so it does that once. The ids are cut
 * into as many ranges as the built-in database has readers, which search at the same time, each until it has more
 * matches than may be sorted here. If that finds everything, total and page come from what was found. Otherwise the
 * ranges that aren't finished go on counting where they stopped, and meanwhile the page is found: along the order's
 * index where matches are frequent enough to fill it soon, else by sorting what matches. How frequent they are is
 * known from how far the ranges came.
 */
import type { Link } from "./link.ts";
import { isEverything, type LinkFilter } from "./link-filter.ts";
import type { LinkQuery } from "./link-page.ts";
import type { IdRange, LinkListRepository, Plan, Slice } from "./links.list.repository.ts";
import { createTotalCache } from "./total-cache.ts";

export type LinkPage = { links: Link[]; total: number };

export type LinkList = {
  page(query: LinkQuery): Promise<LinkPage>;
  /** To be called after any change of any link. */
  forgetTotals(): void;
};

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

export function createLinkList(repository: LinkListRepository): LinkList {
  const totals = createTotalCache();

  async function walked(filter: LinkFilter, slice: Slice): Promise<LinkPage> {
    const known = totals.get(filter);
    if (known !== undefined) {
      return { total: known.total, links: await loadPage(filter, slice, known.total, "walk") };
    }
    const all = isEverything(filter) ? await repository.extent() : null;
    const keep = totals.open(filter);
    const found = await countAndLoad(filter, slice, {
      count: () => repository.count(filter),
      guess: all === null ? AT_LEAST : sizeOf(all),
      plan: () => "walk",
    });
    keep({ total: found.total, ids: null });
    return found;
  }

  async function searched(filter: LinkFilter, slice: Slice): Promise<LinkPage> {
    const known = totals.get(filter);
    if (known?.ids) return loadFew(known.ids, slice);
    const all = await repository.extent();
    if (all === null) return { total: 0, links: [] };
    const plan = (matches: number): Plan => planFor(slice, matches, sizeOf(all));
    if (known !== undefined) {
      return { total: known.total, links: await loadPage(filter, slice, known.total, plan(known.total)) };
    }
    const keep = totals.open(filter);
    const parts = await Promise.all(cut(all).map((range) => look(filter, range)));
    const ids = parts.flatMap((part) => part.ids);
    const rest = parts.flatMap((part) => part.rest ?? []);
    if (ids.length <= FEW && rest.length === 0) {
      keep({ total: ids.length, ids });
      return loadFew(ids, slice);
    }
    const seen = parts.reduce((sum, part) => sum + part.seen, 0);
    const found = await countAndLoad(filter, slice, {
      async count() {
        const counts = await Promise.all(rest.map((range) => repository.countWithin(filter, range)));
        return counts.reduce((total, count) => total + count, ids.length);
      },
      guess: (ids.length / seen) * sizeOf(all),
      plan,
    });
    keep({ total: found.total, ids: null });
    return found;
  }

  /** Counts the matches and finds the page, at the same time where the page isn't near the end. */
  async function countAndLoad(
    filter: LinkFilter,
    slice: Slice,
    { count, guess, plan }: { count(): Promise<number>; guess: number; plan(matches: number): Plan },
  ): Promise<LinkPage> {
    if (slice.offset > guess * NEAR_END) {
      const total = await count();
      return { total, links: await loadPage(filter, slice, total, plan(total)) };
    }
    // The page first: it is mostly the shorter wait where queries wait for one another.
    const [links, total] = await Promise.all([loadPage(filter, slice, null, plan(guess)), count()]);
    return { total, links };
  }

  const loadFew = async (ids: readonly number[], slice: Slice): Promise<LinkPage> => ({
    total: ids.length,
    links: slice.offset >= ids.length ? [] : await repository.load({ ids }, slice),
  });

  /** Searches a range until there are too many matches; `rest` is what wasn't looked at. */
  async function look(filter: LinkFilter, range: IdRange) {
    const ids = await repository.idsWithin(filter, range, FEW + 1);
    const last = ids.length <= FEW ? range.to : ids[FEW]!;
    const rest = last === range.to ? null : { from: last + 1, to: range.to };
    return { ids, rest, seen: last - range.from + 1 };
  }

  /** With a total the page is taken from the nearer end. */
  async function loadPage(
    filter: LinkFilter,
    slice: Slice,
    total: number | null,
    plan: Plan,
  ): Promise<Link[]> {
    if (total !== null && slice.offset >= total) return [];
    const limit = total === null ? slice.limit : Math.min(slice.limit, total - slice.offset);
    const fromEnd = total === null ? null : total - slice.offset - limit;
    const backwards = fromEnd !== null && fromEnd < slice.offset;
    const order = backwards ? { ...slice.order, descending: !slice.order.descending } : slice.order;
    const at = { order, offset: backwards ? fromEnd : slice.offset, limit };
    const keys = await repository.pageKeys(filter, at, plan);
    return repository.load(keys, { order: slice.order, offset: 0, limit });
  }

  return {
    page({ filter, order, page, pageSize }) {
      const slice: Slice = { order, offset: (page - 1) * pageSize, limit: pageSize };
      return filter.search === null ? walked(filter, slice) : searched(filter, slice);
    },
    forgetTotals: totals.clear,
  };
}

/** Which plan finds a slice of about `matches` among `links` sooner. */
function planFor({ order, offset, limit }: Slice, matches: number, links: number): Plan {
  if (order.sort === "click_count" || order.sort === "expires_at") return "walk";
  const depth = Math.min(offset, Math.max(0, matches - offset - limit)) + limit;
  const walk = (Math.min(depth, matches) / matches) * links * WALK_COST;
  return walk <= links + matches * SORT_COST ? "walk" : "sort";
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
