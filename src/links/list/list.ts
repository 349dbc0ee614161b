/**
 * Pages of the list, for any number of links: by number, with or without the exact total, and after a place, where
 * each costs as much as the first and added links move none. Plans are chosen by what a query may start
 * with (plan.ts). An order by clicks compares the counts of few links; for many it walks their ranks (jobs.ts).
 */
import type { Link } from "../link/link.ts";
import { isEverything, type LinkFilter } from "./filter.ts";
import {
  isByClicks,
  type LinkOrder,
  type LinkQuery,
  type ListPlace,
  type PlacedQuery,
  type Slice,
} from "./query.ts";
import { type ListPlan, planFor, smallest, startOfCount } from "./plan.ts";
import type { LinkListRepository } from "./repository.ts";
import type { Starts } from "./sizes.repository.ts";

type LinkPage = { links: Link[]; total: number };

/** `next`: null on the last page. */
type PlacedPage = { links: Link[]; next: ListPlace | null };

export type LinkList = ReturnType<typeof createLinkList>;

/** Beyond so many links a page waits for the total, because it may be taken from the end. */
const NEAR = 10_000;

/** From this many links on an order by clicks uses ranks. */
const RANKED_FROM = 100_000;

export function createLinkList(repository: LinkListRepository, { rankedFrom = RANKED_FROM } = {}) {
  const cache = createTotalCache();

  async function startsOf(filter: LinkFilter): Promise<Starts> {
    if (isEverything(filter)) return { filter, starts: [], matches: null };
    const keep = cache.open(filter);
    const starts = cache.get(filter).starts ?? (await repository.starts(filter));
    keep({ starts });
    return starts;
  }

  async function planOf(order: LinkOrder, depth: number, found: Starts): Promise<ListPlan> {
    const matches = cache.get(found.filter).total ?? found.matches;
    const isCompared = found.starts.length > 0 || isByClicks(order.sort);
    const links = isCompared ? await repository.total() : 0;
    return planFor(order, depth, { ...found, matches, links, rankedFrom });
  }

  async function totalOf({ filter, starts }: Starts): Promise<number> {
    const keep = cache.open(filter);
    const total = cache.get(filter).total ?? (await repository.count(filter, startOfCount(starts)));
    keep({ total });
    return total;
  }

  /** With a total, from the nearer end. */
  async function load(
    filter: LinkFilter,
    { order, offset, limit, after = null }: Slice,
    { plan, total }: { plan: ListPlan; total: number | null },
  ): Promise<PlacedPage> {
    if (total === null) {
      const slice = { order, offset, limit: limit + 1, after };
      const { places, ...keys } = await repository.pageKeys(filter, slice, plan);
      const shown = "ids" in keys ? { ids: keys.ids.slice(0, limit) } : { codes: keys.codes.slice(0, limit) };
      const links = await repository.load(shown, order);
      return { links, next: places.length > limit ? places[limit - 1]! : null };
    }
    const most = Math.min(limit, total - offset);
    if (most <= 0) return { links: [], next: null };
    const fromEnd = total - offset - most;
    const turned = { ...order, descending: !order.descending };
    const isBackwards = fromEnd < offset;
    const slice = isBackwards
      ? { order: turned, offset: fromEnd, limit: most }
      : { order, offset, limit: most };
    const { places, ...keys } = await repository.pageKeys(filter, slice, plan);
    const last = places.at(isBackwards ? 0 : -1) ?? null;
    return { links: await repository.load(keys, order), next: fromEnd > 0 ? last : null };
  }

  async function page({ filter: requested, order, page: at, pageSize }: LinkQuery): Promise<LinkPage> {
    const slice: Slice = { order, offset: (at - 1) * pageSize, limit: pageSize };
    const found = await startsOf(requested);
    const { filter } = found;
    if (isEmpty(found)) return { links: [], total: 0 };
    const plan = await planOf(order, slice.offset + pageSize, found);
    const known = cache.get(filter).total;
    if (known !== undefined || slice.offset > NEAR) {
      const total = known ?? (await totalOf(found));
      return { links: (await load(filter, slice, { plan, total })).links, total };
    }
    // Page first: usually the shorter wait.
    const [{ links }, total] = await Promise.all([
      load(filter, slice, { plan, total: null }),
      totalOf(found),
    ]);
    return { links, total };
  }

  async function placed(requested: LinkFilter, slice: Slice): Promise<PlacedPage> {
    const found = await startsOf(requested);
    if (isEmpty(found)) return { links: [], next: null };
    const plan = await planOf(slice.order, slice.offset + slice.limit, found);
    const total = slice.after ? null : (cache.get(found.filter).total ?? null);
    return load(found.filter, slice, { plan, total });
  }

  return {
    page,

    after: ({ filter, order, after, limit }: PlacedQuery): Promise<PlacedPage> =>
      placed(filter, { order, offset: 0, limit, after }),

    /** A page without its total, which may cost much more. */
    rows: ({ filter, order, page: at, pageSize }: LinkQuery): Promise<PlacedPage> =>
      placed(filter, { order, offset: (at - 1) * pageSize, limit: pageSize }),

    async total(filter: LinkFilter): Promise<number> {
      const found = await startsOf(filter);
      return isEmpty(found) ? 0 : totalOf(found);
    },

    /** After any change of links or tags. */
    clear: cache.clear,
  };
}

const isEmpty = ({ starts }: Starts): boolean => smallest(starts)?.links === 0;

const MOST_KEPT = 100;

export type Known = { total?: number; starts?: Starts };

/**
 * Exact totals of recent filters and the starts of their queries, so that paging counts once. Any change of a link
 * empties it.
 */
function createTotalCache() {
  const kept = new Map<string, Known>();
  let changes = 0;
  return {
    get: (filter: LinkFilter): Known => kept.get(keyOf(filter)) ?? {},
    /** Call it before reading; the result stores what was read. */
    open(filter: LinkFilter): (known: Known) => void {
      const seen = changes;
      return (known) => {
        // Time alone changes how many are active.
        if (seen !== changes || filter.state !== null) return;
        const key = keyOf(filter);
        kept.set(key, { ...kept.get(key), ...known });
        if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value!);
      };
    },
    clear(): void {
      changes++;
      kept.clear();
    },
  };
}

const keyOf = (filter: LinkFilter): string => JSON.stringify({ ...filter, asOf: 0 });
