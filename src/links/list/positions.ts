/**
 * Finds pages far from the start of a filter with frequent tags or a search, in memory: the links of each condition as
 * bits, and the orders in segments. Both are built on first use and follow reported changes. A million links take 2 MB
 * an order and 125 KB a condition.
 */
import { chunked } from "../../lib/chunked.ts";
import { createHeldThings, type Held } from "../../lib/held.ts";
import { createConditions, keyOfDomain, keyOfOwner, keyOfSearch, keyOfTag } from "./conditions.ts";
import { EVERYTHING, type LinkFilter } from "./filter.ts";
import { type Ahead, createHeldTexts } from "./held-texts.ts";
import { createIdSet, type IdSet, LARGEST_ID } from "./id-set.ts";
import type { SortKey } from "./order.ts";
import type { Slice } from "./ordered-keys.repository.ts";
import type { ListPlace } from "./place.ts";
import type { Changed, Placed, PositionsRepository } from "./positions.repository.ts";
import type { IdRange } from "./repository.ts";
import { createSegments, SEGMENT, type Segments } from "./segments.ts";

type Order = Held<Changed> & { segments: Segments; madeAt: number };

/** Sets and orders. */
const MOST_HELD = 32;
const CHUNK = 1_000;
/** Matches of a search. */
const MOST_TESTED = 5_000;
/** Ranks change without notice, about twice a minute. */
const RANKS_KEPT_MS = 30_000;

export type Positions = ReturnType<typeof createPositions>;

type PositionsOptions = { segment?: number | undefined; ahead?: Ahead };

export function createPositions(
  repository: PositionsRepository,
  { segment = SEGMENT, ahead = { open: null, from: 0 } }: PositionsOptions = {},
) {
  const held = createHeldThings({ changesOf: repository.changesOf, most: MOST_HELD });
  const texts = createHeldTexts({
    repository,
    held,
    ahead,
    everything: (all) => conditions.everything(all),
    order: (sort) => segmentsOf(sort),
  });
  const conditions = createConditions(repository, held, texts);
  /** One order is made at a time. */
  let orders: Promise<unknown> = Promise.resolve();

  async function setsOf(
    { tags, ownerId, domain }: LinkFilter,
    sizes: ReadonlyMap<string, number>,
    all: IdRange,
  ) {
    const sets: IdSet[] = [];
    for (const tag of tags) sets.push(await conditions.ofTag(tag, all, sizes.get(keyOfTag(tag))));
    if (ownerId !== null) sets.push(await conditions.ofOwner(ownerId, sizes.get(keyOfOwner(ownerId))));
    if (domain !== null) sets.push(await conditions.ofDomain(domain, sizes.get(keyOfDomain(domain))));
    return sets;
  }

  /** Null for a search with too many matches. `all`: every id. */
  async function matchesOf(
    filter: LinkFilter,
    sizes: ReadonlyMap<string, number>,
    all: IdRange,
  ): Promise<IdSet | null> {
    const { search, createdAfter, createdBefore, state, asOf } = filter;
    const found: IdSet[] = [];
    if (search !== null) {
      const matches = await conditions.searched(search, all);
      if (matches === null) return null;
      if (matches.size <= MOST_TESTED && !conditions.knows(filter)) {
        // In the background, for later pages with other matches.
        setsOf(filter, sizes, all).catch(() => {});
        return tested(filter, matches);
      }
      found.push(matches);
    }
    found.push(...(await setsOf(filter, sizes, all)));
    if (createdAfter !== null || createdBefore !== null) {
      const order = async () => (knows("created_at") ? segmentsOf("created_at") : null);
      found.push(await conditions.createdBetween(filter, all, order));
    }
    if (found.length === 0) found.push(await conditions.everything(all));
    const [only] = found;
    // They change while a page is found.
    const matches = found.length === 1 ? only!.copy() : found.reduce((before, ids) => before.and(ids));
    if (state === null) return matches;
    const expired = await conditions.expiredAt(asOf);
    return state === "expired" ? matches.and(expired) : matches.without(expired);
  }

  /** Cheaper than sets of other conditions. */
  async function tested(filter: LinkFilter, ids: IdSet): Promise<IdSet> {
    const set = createIdSet();
    for (const chunk of chunked(ids.all(), CHUNK)) {
      for (const id of await repository.matchingAmong({ ...filter, search: null }, chunk)) set.add(id);
    }
    return set;
  }

  const isUsable = (sort: SortKey, order: Order): boolean =>
    !order.segments.isWorn() && (sort !== "click_count" || performance.now() - order.madeAt <= RANKS_KEPT_MS);

  async function makeOrder(sort: SortKey): Promise<Order> {
    const madeAt = performance.now();
    const segments = createSegments(sort, segment);
    for await (const { ids, last } of repository.parts(EVERYTHING, sort, segment)) segments.append(ids, last);
    return {
      segments,
      madeAt,
      // Sets of searches would evict it, and it costs more than they do.
      isPinned: true,
      bytes: segments.bytes,
      follow({ links }: Changed) {
        if (links.some(({ id }) => id > LARGEST_ID)) return false;
        for (const link of links) segments.place(link.id, placeIn(sort, link));
        return true;
      },
    };
  }

  async function segmentsOf(sort: SortKey): Promise<Segments> {
    const make = () => {
      const made = orders.then(() => makeOrder(sort));
      orders = made.catch(() => {});
      return made;
    };
    const order = await held.get(keyOfOrder(sort), make);
    if (isUsable(sort, order)) return order.segments;
    held.forget(keyOfOrder(sort));
    return (await held.get(keyOfOrder(sort), make)).segments;
  }

  const knows = (sort: SortKey): boolean => {
    const order = held.peek(keyOfOrder(sort)) as Order | undefined;
    return order !== undefined && isUsable(sort, order);
  };

  return {
    /** By the largest id. */
    canHold: (largest: number): boolean => largest <= LARGEST_ID,

    /** Whether pages in this order cost little. */
    knows,

    /** True if the sets of a filter without search exist. */
    knowsSets: conditions.knows,
    knowsEverything: conditions.knowsEverything,

    /** Builds an order in the background, so that a page far from the start need not wait for it. */
    prepare(sort: SortKey): void {
      if (!knows(sort)) segmentsOf(sort).catch(() => {});
    },

    /** After a list: others may follow. */
    makeAhead: texts.makeAhead,

    close(): void {
      texts.close();
      held.clear();
    },

    /** Whether the search costs little. */
    knowsSearch: (search: string): boolean => held.peek(keyOfSearch(search)) !== undefined,

    /** `sizes`: by keys of tags, owner and domain. */
    matches: matchesOf,

    /** In the background. */
    prepareMatches(filter: LinkFilter, sizes: ReadonlyMap<string, number>, all: IdRange): void {
      matchesOf(filter, sizes, all).catch(() => {});
    },

    /** Where to start for an ascending slice of the matches. */
    async find(matches: IdSet, { order: { sort }, offset, limit }: Slice) {
      const segments = await segmentsOf(sort);
      // Another node made them a moment ago.
      for (const ids of chunked(segments.missing(matches), CHUNK)) {
        for (const link of await repository.placed("id", ids)) segments.place(link.id, placeIn(sort, link));
      }
      return segments.find(matches, offset, limit);
    },

    bytes: held.bytes,

    /** After a page that turned out wrong. */
    clear: held.clear,

    tellLinks: held.tell,

    tellTags(tags: readonly string[]): void {
      if (tags.includes("*")) return held.clear();
      for (const tag of tags) held.forget(keyOfTag(tag));
    },
  };
}

const keyOfOrder = (sort: SortKey): string => `order ${sort}`;

function placeIn(sort: SortKey, { id, code, createdAt, expiresAt, ranked }: Placed): ListPlace {
  switch (sort) {
    case "created_at":
      return { value: createdAt, tie: code };
    case "code":
      return { value: null, tie: code };
    case "click_count":
      return { value: ranked, tie: id };
    case "expires_at":
      return { value: expiresAt, tie: id };
  }
}
