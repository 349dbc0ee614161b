/**
 * Pages of a filter with tags. They start with the links of the rarest tag, or follow the order's index and test the
 * tags. Where both would read many links, the page is found in memory (positions.ts), as are pages of a search, pages
 * of an owner or a domain in an order whose index lacks them, and pages far from both ends of a long list.
 */
import type { Link } from "../link/link.ts";
import { EVERYTHING, isEverything, type LinkFilter } from "./filter.ts";
import type { IdSet } from "./id-set.ts";
import type { ListPlan, Slice } from "./ordered-keys.repository.ts";
import { comparing, costFor, planFor, type Sizes, sizeOf, walked } from "./plan.ts";
import { keyOfDomain, keyOfOwner, keyOfTag } from "./conditions.ts";
import type { Positions } from "./positions.ts";
import type { IdRange, LinkListRepository } from "./repository.ts";
import type { TotalCache } from "./total-cache.ts";

/** A filter with the rarest tag first. `rarest`: its number of links; `sizes`: that of each tag. */
export type Ranked = { filter: LinkFilter; rarest: number; sizes: ReadonlyMap<string, number> };

type Page = { links: Link[]; total: number };

type Deps = {
  repository: LinkListRepository;
  totals: TotalCache;
  positions: Positions;
  /** See list.ts: what is in memory answers for changes of other nodes too. */
  hear(): Promise<void>;
  rankedFrom: number;
  /** From this many links of a tag or to read on, pages are found in memory. */
  heldFrom?: number | undefined;
  loadFew(ids: readonly number[], slice: Slice): Promise<Page>;
  loadPage(
    filter: LinkFilter,
    slice: Slice,
    total: number,
    way: { plan: ListPlan; ranges: readonly IdRange[] },
  ): Promise<Link[]>;
};

export const HELD_FROM = 10_000;
/** Links along an index that cost as much as one read from the table. */
const INDEXED = 10;
/** Matches whose ids are kept. */
const FEW = 1000;
/** Matches whose keys are read and sorted. */
const MOST_SORTED = 10_000;

export function createTaggedPages(deps: Deps) {
  const { repository, totals, positions, hear, rankedFrom, heldFrom = HELD_FROM, loadFew, loadPage } = deps;

  function isFoundInMemory(filter: LinkFilter, slice: Slice, of: Required<Sizes>): boolean {
    const { sort } = slice.order;
    if (sort === "click_count" && of.links < rankedFrom) return false;
    // Tags and expiry are seldom independent, so a walk may find nothing for long.
    if (sort === "expires_at" || costFor(slice, of) > heldFrom) return true;
    return positions.knows(sort) && positions.knowsSets(filter);
  }

  /** Null if memory has not followed a change yet. */
  async function held(filter: LinkFilter, slice: Slice, total: number, set: IdSet): Promise<Link[] | null> {
    if (slice.offset >= total) return [];
    if (set.size !== total) return null;
    const { sort, descending } = slice.order;
    const limit = Math.min(slice.limit, total - slice.offset);
    const order = { sort, descending: false };
    const offset = descending ? total - slice.offset - limit : slice.offset;
    const { after, skip, ids } = await positions.find(set, { order, offset, limit });
    const found = { order, offset: skip, limit, after };
    // Ranks are older than the counts by which links are loaded.
    const isFew = ids !== null && sort !== "click_count";
    const links = isFew
      ? await repository.load({ ids }, { order, offset: skip, limit })
      : await repository.load(await repository.pageKeys(filter, found, "walk"), { order, offset: 0, limit });
    if (links.length < limit) {
      positions.clear();
      return null;
    }
    return descending ? links.toReversed() : links;
  }

  async function tagged({ filter, rarest, sizes: byTag }: Ranked, slice: Slice): Promise<Page> {
    if (rarest >= heldFrom) await hear();
    const known = totals.get(filter);
    if (known?.ids) return loadFew(known.ids, slice);
    const keep = totals.open(filter);
    const all = await repository.extent();
    if (all === null) return { total: 0, links: [] };
    const isHeld = rarest >= heldFrom && filter.search === null && positions.canHold(all.to);
    const sizes = byKey(byTag);
    const isCounted = known !== undefined || !isHeld || isOneTag(filter);
    const matches = isCounted ? null : await positions.matches(filter, sizes, all);
    if (isHeld) positions.prepare(slice.order.sort);
    const total = known?.total ?? matches?.size ?? (await repository.count(filter));
    const ids = total > FEW ? null : (matches?.all() ?? (await repository.matchingIds(filter, FEW + 1)));
    if (ids !== null && ids.length <= FEW) {
      keep({ total: ids.length, ids });
      return loadFew(ids, slice);
    }
    keep({ total, ids: null });
    const of = { matches: total, links: sizeOf(all), rankedFrom, tagged: rarest };
    if (isHeld && isFoundInMemory(filter, slice, of)) {
      const set = matches ?? (await positions.matches(filter, sizes, all));
      const links = set && (await held(filter, slice, total, set));
      if (links !== null) return { total, links };
    }
    if (isHeld) positions.prepareMatches(filter, sizes, all);
    return { total, links: await loadPage(filter, slice, total, { plan: planFor(slice, of), ranges: [] }) };
  }

  async function countOnce(filter: LinkFilter): Promise<number> {
    const keep = totals.open(filter);
    const total = totals.get(filter)?.total ?? (await repository.count(filter));
    keep({ total, ids: null });
    return total;
  }

  /**
   * Pages of all links, of a span, or of a state. Null near the ends, where reading serves, and until the sets exist.
   * All active links are counted here for any page: a query would count every expired link.
   */
  async function listed(filter: LinkFilter, slice: Slice): Promise<Page | null> {
    const far = heldFrom * INDEXED;
    const isActive = isEverything({ ...filter, state: null }) && filter.state === "active";
    if (!isActive && slice.offset < far) return null;
    const { order, offset, limit } = slice;
    const all = await repository.extent();
    if (all === null || !positions.canHold(all.to) || sizeOf(all) < far) return null;
    if (order.sort === "click_count" && sizeOf(all) < rankedFrom) return null;
    await hear();
    const isKnown = positions.knowsEverything() && positions.knowsSets(filter);
    if (!isKnown) positions.prepareMatches(filter, NO_SIZES, all);
    if (offset >= far) positions.prepare(order.sort);
    const set = isKnown ? await positions.matches(filter, NO_SIZES, all) : null;
    if (set === null) return null;
    const isFound = Math.min(offset, set.size - offset - limit) >= far;
    if (isFound && positions.knows(order.sort)) {
      const links = await held(filter, slice, set.size, set);
      return links && { total: set.size, links };
    }
    const of = { matches: set.size, links: sizeOf(all), rankedFrom };
    const plan = order.sort === "click_count" ? planFor(slice, of) : "walk";
    return { total: set.size, links: await loadPage(filter, slice, set.size, { plan, ranges: [] }) };
  }

  /** Null if reading serves as well. */
  async function untagged(filter: LinkFilter, slice: Slice): Promise<Page | null> {
    if (filter.ownerId === null && filter.domain === null) return listed(filter, slice);
    if (!isFar(filter, slice, heldFrom)) return null;
    await hear();
    const known = totals.get(filter);
    if (known?.ids) return loadFew(known.ids, slice);
    const keep = totals.open(filter);
    const all = await repository.extent();
    if (all === null || !positions.canHold(all.to)) return null;
    const { ownerId, domain } = filter;
    const links = await countOnce({ ...EVERYTHING, ownerId, domain: ownerId === null ? domain : null });
    if (links <= FEW && ownerId !== null) {
      const ids = await repository.matchingIds(filter, FEW + 1);
      if (ids.length > FEW) return null;
      keep({ total: ids.length, ids });
      return loadFew(ids, slice);
    }
    const isByFewClicks = slice.order.sort === "click_count" && sizeOf(all) < rankedFrom;
    if (links < heldFrom || isByFewClicks) return null;
    const key = ownerId === null ? keyOfDomain(domain!) : keyOfOwner(ownerId);
    const set = await positions.matches(filter, new Map([[key, links]]), all);
    const found = set && (await held(filter, slice, set.size, set));
    if (set === null || found === null) return null;
    keep({ total: set.size, ids: null });
    return { total: set.size, links: found };
  }

  /** Null if reading serves as well. */
  async function searched(
    filter: LinkFilter,
    slice: Slice,
    byTag: ReadonlyMap<string, number>,
  ): Promise<Page | null> {
    const all = await repository.extent();
    if (all === null || !positions.canHold(all.to) || sizeOf(all) < heldFrom) return null;
    await hear();
    const known = totals.get(filter);
    if (known?.ids) return loadFew(known.ids, slice);
    const keep = totals.open(filter);
    const set = await positions.matches(filter, byKey(byTag), all);
    if (set === null) return null;
    const total = set.size;
    if (total <= FEW) {
      const ids = set.all();
      keep({ total, ids });
      return loadFew(ids, slice);
    }
    keep({ total, ids: null });
    const { order, offset, limit } = slice;
    const of = { matches: total, links: sizeOf(all), rankedFrom };
    const isByFewClicks = order.sort === "click_count" && of.links < rankedFrom;
    if (isByFewClicks || (!positions.knows(order.sort) && walked(slice, of) <= heldFrom)) {
      if (!isByFewClicks) positions.prepare(order.sort);
      return { total, links: await loadPage(filter, slice, total, { plan: planFor(slice, of), ranges: [] }) };
    }
    const isByKey = order.sort === "code" || order.sort === "created_at";
    if (isByKey && total <= MOST_SORTED && !positions.knows(order.sort)) {
      positions.prepare(order.sort);
      const keys = await repository.keysOf(set.all());
      const codes = keys.sort(comparing(order)).map(({ code }) => code);
      const page = { codes: codes.slice(offset, offset + limit) };
      return { total, links: await repository.load(page, { order, offset: 0, limit }) };
    }
    const links = await held(filter, slice, total, set);
    return links && { total, links };
  }

  return { tagged, untagged, searched };
}

const NO_SIZES: ReadonlyMap<string, number> = new Map();
const byKey = (byTag: ReadonlyMap<string, number>) =>
  new Map([...byTag].map(([tag, links]) => [keyOfTag(tag), links]));

/** True if the owner or domain would be tested in many rows. */
function isFar({ ownerId, domain }: LinkFilter, { order, offset }: Slice, from: number): boolean {
  if (ownerId !== null) return order.sort !== "created_at";
  // Indexes of the other orders contain the code, and so the domain.
  const isInIndex = order.sort === "created_at" || order.sort === "code";
  return domain !== null && offset >= from * (isInIndex ? INDEXED : 1);
}

const isOneTag = (filter: LinkFilter): boolean =>
  filter.tags.length === 1 && isEverything({ ...filter, tags: [] });
