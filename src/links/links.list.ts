/**
 * Pages of the list, with the exact total, over any number of links.
 *
 * Without a search the filter is served by indexes: count, then take the page from the nearer end of the order, so
 * that the last page costs what the first does.
 *
 * A search has to look at every link, unless the database has an index for it, so it does that once. The ids are cut
 * into as many ranges as the built-in database has readers, which search at the same time, each until it has more
 * matches than may be sorted here. If that finds everything, total and page come from what was found. Otherwise the
 * ranges that aren't finished go on counting where they stopped, and meanwhile the page is found: along the order's
 * index where matches are frequent enough to fill it soon, else by sorting what matches. How frequent they are is
 * known from how far the ranges came.
 */
import type { Link } from "./link.ts";
import type { LinkFilter } from "./link-filter.ts";
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

export function createLinkList(repository: LinkListRepository): LinkList {
  const totals = createTotalCache();

  async function counted(filter: LinkFilter): Promise<number> {
    const known = totals.get(filter);
    if (known !== undefined) return known;
    const keep = totals.open(filter);
    const total = await repository.count(filter);
    keep(total);
    return total;
  }

  async function walked({ filter, order, page, pageSize }: LinkQuery): Promise<LinkPage> {
    const total = await counted(filter);
    const slice: Slice = { order, offset: (page - 1) * pageSize, limit: pageSize };
    return { total, links: await loadPage(filter, slice, total, "walk") };
  }

  async function searched(query: LinkQuery): Promise<LinkPage> {
    const { filter, order, page, pageSize } = query;
    const slice: Slice = { order, offset: (page - 1) * pageSize, limit: pageSize };
    const known = totals.get(filter);
    const all = await repository.extent();
    if (all === null || known === 0) return { total: 0, links: [] };
    if (known !== undefined && known > FEW) {
      return {
        total: known,
        links: await loadPage(filter, slice, known, planFor(slice, known, sizeOf(all))),
      };
    }
    const keep = totals.open(filter);
    const parts = await Promise.all(cut(all).map((range) => look(filter, range)));
    const ids = parts.flatMap((part) => part.ids);
    if (ids.length <= FEW && parts.every((part) => part.rest === null)) {
      keep(ids.length);
      return { total: ids.length, links: ids.length === 0 ? [] : await repository.load(ids, slice) };
    }
    const seen = parts.reduce((sum, part) => sum + part.seen, 0);
    const plan = planFor(slice, (ids.length / seen) * sizeOf(all), sizeOf(all));
    const [links, ...counts] = await Promise.all([
      loadPage(filter, slice, null, plan),
      ...parts.map(({ rest }) => (rest === null ? 0 : repository.countWithin(filter, rest))),
    ]);
    const total = counts.reduce((sum, count) => sum + count, ids.length);
    keep(total);
    return { total, links };
  }

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
    const ids = await repository.pageIds(filter, at, plan);
    return ids.length === 0 ? [] : repository.load(ids, { order: slice.order, offset: 0, limit });
  }

  return {
    page: (query) => (query.filter.search === null ? walked(query) : searched(query)),
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
