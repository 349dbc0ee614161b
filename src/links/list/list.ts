/**
 * Pages of the list with the exact total, for any number of links.
 *
 * Without a search, indexes serve the filter: count and page run together. A page far from the start waits for the
 * count and may be taken from the end. An order by clicks compares the counts of few links; for many it walks their
 * ranks (ranking.ts).
 *
 * A search without index reads every link once. Each reader of the file database searches a range of ids until it has
 * too many matches to keep. If all ranges end, total and page come from the matches. Otherwise their frequency is
 * known. If the order's index then soon fills the page, it is walked while the other ranges are counted. Else one query
 * counts and sorts these up to the end of the page, and the results are merged. A page too deep for that has its own
 * sort.
 */
import type { Link } from "../link/link.ts";
import { isEverything, type LinkFilter } from "./filter.ts";
import type { Ahead } from "./held-texts.ts";
import type { ListPlan, Slice } from "./ordered-keys.repository.ts";
import type { LinkQuery } from "./page.ts";
import { createPlacedPages, type PlacedPage, type PlacedQuery } from "./placed-pages.ts";
import { comparing, cut, planFor, sizeOf } from "./plan.ts";
import { createPositions } from "./positions.ts";
import { type IdRange, type LinkListRepository, MOST_SORTED, type SortKeys } from "./repository.ts";
import { createTaggedPages, HELD_FROM, type Ranked } from "./tagged-pages.ts";
import { createTotalCache } from "./total-cache.ts";

export type LinkPage = { links: Link[]; total: number };

export type LinkList = {
  page(query: LinkQuery): Promise<LinkPage>;
  after(query: PlacedQuery): Promise<PlacedPage>;
  /** Bytes of sets and orders in memory. */
  heldBytes(): number;
  close(): void;
  /** After any change: keys of links or tags. */
  follow: Record<"links" | "tags", (keys: readonly string[]) => void>;
};

/** Keys of all matches outside `rest`. */
type Seen = { keys: readonly SortKeys[]; rest: readonly IdRange[] };

/** A sort may go range by range. */
type Way = { plan: ListPlan; ranges: readonly IdRange[] };

const WALK: Way = { plan: "walk", ranges: [] };
/** Up to this many matches are sorted without a second query. */
const FEW = 1000;
/** Beyond this share of the matches a page is taken from the end. */
const NEAR_END = 0.6;
const AT_LEAST = 2000;

/** Beyond this, a cursor's search among a tag's links reads all links. */
const MOST_READ = 50_000;

/** From this span of ids an order by clicks uses ranks. */
const RANKED_FROM = 100_000;

/** Numbers of links: see RANKED_FROM, tagged-pages.ts and segments.ts. */
type ListOptions = {
  rankedFrom?: number;
  heldFrom?: number;
  segment?: number | undefined;
  ahead?: Ahead;
  /** Resolves when every change committed before the call was told to `follow`. Default: at once. */
  hear?: () => Promise<void>;
};

export function createLinkList(
  repository: LinkListRepository,
  { rankedFrom = RANKED_FROM, heldFrom = HELD_FROM, segment, ahead, hear = async () => {} }: ListOptions = {},
): LinkList {
  const positions = createPositions(repository.positions, { segment, ...(ahead && { ahead }) });
  const totals = createTotalCache();
  /** From this many links of a tag on, a search reads those. */
  const fewTagged = Math.min(heldFrom, MOST_READ);

  async function walked(filter: LinkFilter, slice: Slice): Promise<LinkPage> {
    const known = totals.get(filter);
    const isByClicks = slice.order.sort === "click_count";
    const needsSize = isByClicks || (known === undefined && isEverything(filter));
    const all = needsSize ? await repository.extent() : null;
    const size = all === null ? 0 : sizeOf(all);
    const way = (matches: number): Way =>
      isByClicks ? { plan: planFor(slice, { matches, links: size, rankedFrom }), ranges: [] } : WALK;
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
    const way = (matches: number): Way => ({
      plan: planFor(slice, { matches, links: sizeOf(all), rankedFrom }),
      ranges,
    });
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

  /** A server that spreads scans gets all ranges in one query. */
  const shared = (ranges: readonly IdRange[]): (readonly IdRange[])[] =>
    repository.sharesScans && ranges.length > 0 ? [ranges] : ranges.map((range) => [range]);

  /** Whether `sorted` can find it. */
  const isShort = ({ order, offset, limit }: Slice, plan: ListPlan): boolean =>
    plan === "sort" && order.sort !== "click_count" && offset + limit <= MOST_SORTED;

  /** Merges the seen matches with the rest's first ones; counts the rest. */
  async function sorted(filter: LinkFilter, { order, offset, limit }: Slice, seen: Seen): Promise<LinkPage> {
    const parts = await Promise.all(
      shared(seen.rest).map((ranges) => repository.firstWithin(filter, ranges, order, offset + limit)),
    );
    const keys = [...seen.keys, ...parts.flatMap((part) => part.keys)].sort(comparing(order));
    const codes = keys.slice(offset, offset + limit).map(({ code }) => code);
    const total = parts.reduce((sum, part) => sum + part.total, seen.keys.length);
    return { total, links: await repository.load({ codes }, { order, offset: 0, limit }) };
  }

  /** Concurrently, unless by a guess the page is near the end. */
  async function countAndLoad(
    filter: LinkFilter,
    slice: Slice,
    { count, guess, way }: { count(): Promise<number>; guess: number | null; way(matches: number): Way },
  ): Promise<LinkPage> {
    if (guess === null || slice.offset > guess * NEAR_END) {
      const total = await count();
      return { total, links: await loadPage(filter, slice, total, way(total)) };
    }
    // Page first: usually the shorter wait.
    const [links, total] = await Promise.all([loadPage(filter, slice, null, way(guess)), count()]);
    return { total, links };
  }

  const loadFew = async (ids: readonly number[], slice: Slice): Promise<LinkPage> => ({
    total: ids.length,
    links: slice.offset >= ids.length ? [] : await repository.load({ ids }, slice),
  });

  /** Reads until there are too many matches; `rest` was not read. */
  async function look(filter: LinkFilter, range: IdRange) {
    const keys = await repository.keysWithin(filter, range, FEW + 1);
    const last = keys.length <= FEW ? range.to : keys[FEW]!.id;
    const rest = last === range.to ? null : { from: last + 1, to: range.to };
    return { keys, rest, size: last - range.from + 1 };
  }

  /** With a total, from the nearer end. */
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
    if (isShort(at, plan) && ranges.length > 0 && !repository.sharesScans) {
      const page = await sorted(filter, at, { keys: [], rest: ranges });
      return backwards ? page.links.toReversed() : page.links;
    }
    const keys = await repository.pageKeys(filter, at, plan);
    return repository.load(keys, { order: slice.order, offset: 0, limit });
  }

  /** With the rarest tag first; null if a tag has no links. */
  async function byRarity(filter: LinkFilter): Promise<Ranked | null> {
    const sizes = await repository.sizesOf(filter.tags);
    if (filter.tags.some((tag) => !sizes.has(tag))) return null;
    const tags = filter.tags.toSorted((a, b) => sizes.get(a)! - sizes.get(b)!);
    return { filter: { ...filter, tags }, rarest: sizes.get(tags[0]!)!, sizes };
  }

  async function numbered({ filter, order, page: at, pageSize }: LinkQuery): Promise<LinkPage> {
    const slice: Slice = { order, offset: (at - 1) * pageSize, limit: pageSize };
    let sizes: ReadonlyMap<string, number> = new Map();
    if (filter.tags.length > 0) {
      const ranked = await byRarity(filter);
      if (ranked === null) return { total: 0, links: [] };
      if (filter.search === null || ranked.rarest <= fewTagged) return tagged(ranked, slice);
      sizes = ranked.sizes;
    }
    if (filter.search !== null) return (await held(filter, slice, sizes)) ?? searched(filter, slice);
    return (filter.tags.length === 0 ? await untagged(filter, slice) : null) ?? walked(filter, slice);
  }

  const {
    tagged,
    untagged,
    searched: held,
  } = createTaggedPages({
    repository,
    totals,
    positions,
    hear,
    rankedFrom,
    heldFrom,
    loadFew,
    loadPage,
  });

  const placedPage = createPlacedPages({
    repository,
    totals,
    rankedFrom,
    async total(filter) {
      const order = { sort: "created_at", descending: true } as const;
      return (await numbered({ filter, order, page: 1, pageSize: 1 })).total;
    },
  });

  async function after(query: PlacedQuery): Promise<PlacedPage> {
    if (query.filter.tags.length === 0) return placedPage(query, null);
    const ranked = await byRarity(query.filter);
    if (ranked === null) return { links: [], next: null };
    return placedPage({ ...query, filter: ranked.filter }, startsWithTag(ranked) ? ranked.rarest : null);
  }

  const makeAhead = () => positions.makeAhead(repository.extent);

  return {
    page: (query) => numbered(query).finally(makeAhead),
    after: (query) => after(query).finally(makeAhead),
    heldBytes: positions.bytes,
    close: positions.close,
    follow: {
      links(keys) {
        totals.clear();
        positions.tellLinks(keys);
      },
      tags(keys) {
        totals.clear();
        positions.tellTags(keys);
      },
    },
  };
}

const startsWithTag = ({ filter, rarest }: Ranked): boolean => filter.search === null || rarest <= MOST_READ;
