/**
 * Finds pages far from the start of a filter with frequent tags, in memory: which links each condition takes, as bits,
 * and the orders in segments. Both are made when first needed, follow the changes that are told, and are dropped while
 * nobody asks. A million links take 2 MB an order and 125 KB a condition.
 */

import { chunked } from "../../lib/chunked.ts";
import { domainOf } from "../link-key.ts";
import { EVERYTHING, type LinkFilter } from "./filter.ts";
import { createIdSet, type IdSet, LARGEST_ID } from "./id-set.ts";
import type { SortKey } from "./order.ts";
import type { Slice } from "./ordered-keys.repository.ts";
import type { ListPlace } from "./place.ts";
import type { Placed, PositionsRepository } from "./positions.repository.ts";
import { createSegments, SEGMENT, type Segments } from "./segments.ts";

type Kept = { ids: IdSet; takes(link: Placed): boolean };
type Order = { segments: Segments; madeAt: number };

const MOST_SETS = 24;
/** Told codes to look up. More make everything anew. */
const MOST_TOLD = 5_000;
const CHUNK = 1_000;
/** Ranks change untold, about twice a minute. */
const RANKS_KEPT_MS = 30_000;
const UNUSED_MS = 600_000;

export type Positions = ReturnType<typeof createPositions>;

export function createPositions(repository: PositionsRepository, segment = SEGMENT) {
  const sets = new Map<string, Kept>();
  const orders = new Map<SortKey, Order>();
  let told = new Set<string>();
  /** Of what was kept and is wrong. */
  let drops = 0;
  let usedAt: number | null = null;
  let turn: Promise<unknown> = Promise.resolve();

  function clear(): void {
    drops++;
    sets.clear();
    orders.clear();
    told = new Set();
    usedAt = null;
  }

  /** One after the other, after what was told. */
  function inTurn<T>(run: () => Promise<T>): Promise<T> {
    const next = turn.then(async () => {
      usedAt = performance.now();
      await followTold();
      return run();
    });
    turn = next.catch(() => {});
    return next;
  }

  async function followTold(): Promise<void> {
    const codes = [...told];
    told = new Set();
    try {
      for (const chunk of chunked(codes, CHUNK)) {
        for (const link of await repository.placed("code", chunk)) follow(link);
      }
    } catch (error) {
      clear();
      throw error;
    }
  }

  function follow(link: Placed): void {
    if (link.id > LARGEST_ID) return clear();
    for (const { ids, takes } of sets.values()) {
      if (takes(link)) ids.add(link.id);
      else ids.delete(link.id);
    }
    for (const [sort, { segments }] of orders) segments.place(link.id, placeIn(sort, link));
  }

  async function setOf(
    key: string,
    takes: Kept["takes"],
    portions: () => AsyncIterable<readonly number[]>,
    size?: number,
  ): Promise<IdSet> {
    const known = sets.get(key);
    sets.delete(key);
    if (known !== undefined && (size === undefined || known.ids.size === size)) {
      sets.set(key, known);
      return known.ids;
    }
    const seen = drops;
    const ids = createIdSet();
    for await (const portion of portions()) for (const id of portion) ids.add(id);
    if (seen === drops) sets.set(key, { ids, takes });
    if (sets.size > MOST_SETS) sets.delete(sets.keys().next().value!);
    return ids;
  }

  const idsOf = (filter: Partial<LinkFilter>, sort: SortKey) =>
    async function* () {
      for await (const { ids } of repository.parts({ ...EVERYTHING, ...filter }, sort)) yield ids;
    };

  /** Deletions show in the size of a set only, so one condition at least has its size in `sizes`. */
  async function matchesOf(filter: LinkFilter, sizes: ReadonlyMap<string, number>): Promise<IdSet> {
    const { ownerId, domain, createdAfter, createdBefore, state, asOf } = filter;
    const found: IdSet[] = [];
    for (const tag of filter.tags) {
      const key = keyOfTag(tag);
      const portions = () => repository.idsOfTag(tag);
      found.push(await setOf(key, ({ tags }) => tags.includes(tag), portions, sizes.get(key)));
    }
    if (ownerId !== null) {
      const key = keyOfOwner(ownerId);
      const portions = idsOf({ ownerId }, "created_at");
      found.push(await setOf(key, (link) => link.ownerId === ownerId, portions, sizes.get(key)));
    }
    if (domain !== null) {
      const key = keyOfDomain(domain);
      const portions = idsOf({ domain }, "code");
      found.push(await setOf(key, ({ code }) => domainOf(code) === domain, portions, sizes.get(key)));
    }
    if (createdAfter !== null || createdBefore !== null) {
      const [from, to] = [createdAfter ?? -Infinity, createdBefore ?? Infinity];
      const takes = ({ createdAt }: Placed) => createdAt >= from && createdAt <= to;
      const portions = idsOf({ createdAfter, createdBefore }, "created_at");
      found.push(await setOf(`created ${from} ${to}`, takes, portions));
    }
    let matches = found.reduce((all, ids) => all.and(ids));
    if (state !== null) {
      const expired = createIdSet();
      for await (const ids of idsOf({ state: "expired", asOf }, "expires_at")()) {
        for (const id of ids) expired.add(id);
      }
      matches = state === "expired" ? matches.and(expired) : matches.without(expired);
    }
    return matches;
  }

  const isUsable = (sort: SortKey, order: Order | undefined): order is Order =>
    order !== undefined &&
    !order.segments.isWorn() &&
    (sort !== "click_count" || performance.now() - order.madeAt <= RANKS_KEPT_MS);

  async function segmentsOf(sort: SortKey): Promise<Segments> {
    const known = orders.get(sort);
    if (isUsable(sort, known)) return known.segments;
    orders.delete(sort);
    const seen = drops;
    const madeAt = performance.now();
    const segments = createSegments(sort, segment);
    for await (const { ids, last } of repository.parts(EVERYTHING, sort, segment)) segments.append(ids, last);
    if (seen === drops) orders.set(sort, { segments, madeAt });
    return segments;
  }

  return {
    /** By the largest id. */
    canHold: (largest: number): boolean => largest <= LARGEST_ID,

    /** Whether pages in this order cost little. */
    knows: (sort: SortKey): boolean => isUsable(sort, orders.get(sort)),

    /** Of a filter without a search, and with a tag, owner or domain. `sizes`: by keys of such conditions. */
    matches: (filter: LinkFilter, sizes: ReadonlyMap<string, number>): Promise<IdSet> =>
      inTurn(() => matchesOf(filter, sizes)),

    /** Where to start for an ascending slice of the matches. */
    find: (matches: IdSet, { order: { sort }, offset, limit }: Slice) =>
      inTurn(async () => {
        const segments = await segmentsOf(sort);
        // Another node made them a moment ago.
        for (const ids of chunked(segments.missing(matches), CHUNK)) {
          for (const link of await repository.placed("id", ids)) segments.place(link.id, placeIn(sort, link));
        }
        return segments.find(matches, offset, limit);
      }),

    /** After a page that was not what it should be. */
    clear,

    tellLinks(codes: readonly string[]): void {
      if (usedAt === null) return;
      for (const code of codes) told.add(code);
      if (codes.includes("*") || told.size > MOST_TOLD || performance.now() - usedAt > UNUSED_MS) clear();
    },

    tellTags(tags: readonly string[]): void {
      if (usedAt === null) return;
      drops++;
      if (tags.includes("*")) return clear();
      for (const tag of tags) sets.delete(keyOfTag(tag));
    },
  };
}

export const keyOfTag = (tag: string): string => `tag ${tag}`;
export const keyOfOwner = (ownerId: number): string => `owner ${ownerId}`;
export const keyOfDomain = (domain: number): string => `domain ${domain}`;

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
