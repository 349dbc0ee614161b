/**
 * Sets of the links that match each condition of a filter, in memory: 125 KB for a million links. A search reads all
 * links once for its set.
 */
import { chunked } from "../../lib/chunked.ts";
import type { Held, HeldThings } from "../../lib/held.ts";
import { domainOf } from "../link/key.ts";
import { EVERYTHING, type LinkFilter } from "./filter.ts";
import { createIdSet, type IdSet, LARGEST_ID } from "./id-set.ts";
import type { SortKey } from "./order.ts";
import type { Segments } from "./segments.ts";
import { cut } from "./plan.ts";
import { type Changed, IDS_AT_ONCE, type Placed, type PositionsRepository } from "./positions.repository.ts";
import type { IdRange } from "./repository.ts";

type HeldSet = Held<Changed> & { ids: IdSet };
type Taken = (links: readonly Placed[]) => Promise<ReadonlySet<number>>;

/** Searches with too many matches to read, on servers; each for `FREQUENT_MS`. */
const MOST_FREQUENT = 100;
const FREQUENT_MS = 600_000;
/** Ids. */
const SAMPLE = 2_000;
const CHUNK = 1_000;
/** Links whose creation is tested for a span. */
const MOST_EDGES = 20_000;
const EVERY_LINK = "everything";
/** Follows every code. */
const AFTER_CODES = "\u{10ffff}";

type Order = () => Promise<Segments | null>;

type Texts = { isReady(): boolean; searched(search: string, all: IdRange): Promise<IdSet | null> };

export function createConditions(repository: PositionsRepository, held: HeldThings<Changed>, texts: Texts) {
  const frequent = new Map<string, number>();

  /** Only the latest deletions are known, so a set without another check needs all of them. */
  function heldSet(ids: IdSet, taken: Taken, { needsAll = false } = {}): HeldSet {
    return {
      ids,
      bytes: () => ids.bytes.length,
      async follow({ links, gone, isComplete }: Changed) {
        if (links.some(({ id }) => id > LARGEST_ID) || (needsAll && !isComplete)) return false;
        const own = await taken(links);
        for (const id of gone) ids.delete(id);
        for (const { id } of links) {
          if (own.has(id)) ids.add(id);
          else ids.delete(id);
        }
        return true;
      },
    };
  }

  const takenBy =
    (takes: (link: Placed) => boolean): Taken =>
    async (links) =>
      new Set(links.filter(takes).map(({ id }) => id));

  async function setOf(
    key: string,
    takes: (link: Placed) => boolean,
    portions: () => AsyncIterable<readonly number[]>,
    size?: number,
  ): Promise<IdSet> {
    const make = async () => {
      const ids = createIdSet();
      for await (const portion of portions()) for (const id of portion) ids.add(id);
      return heldSet(ids, takenBy(takes));
    };
    const found = await held.get(key, make);
    if (size === undefined || found.ids.size === size) return found.ids;
    held.forget(key);
    return (await held.get(key, make)).ids;
  }

  const idsOf = (filter: Partial<LinkFilter>, sort: SortKey) =>
    async function* () {
      for await (const { ids } of repository.parts({ ...EVERYTHING, ...filter }, sort)) yield ids;
    };

  async function collected(portions: AsyncIterable<readonly number[]>): Promise<IdSet> {
    const set = createIdSet();
    for await (const ids of portions) for (const id of ids) set.add(id);
    return set;
  }

  /** Links that expire later are added as time goes by. */
  async function expiredAt(asOf: number): Promise<IdSet> {
    const all = (at: number) => collected(idsOf({ state: "expired", asOf: at }, "expires_at")());
    const make = async () => {
      const state = { asOf };
      const takes = ({ expiresAt }: Placed) => expiresAt !== null && expiresAt <= state.asOf;
      return { ...heldSet(await all(asOf), takenBy(takes)), state };
    };
    const { ids, state } = await held.get("expired", make);
    if (asOf < state.asOf) return all(asOf);
    const isCurrent = await held.inTurn(async () => {
      if (asOf <= state.asOf) return true;
      const more = await repository.expiredBetween(state.asOf, asOf);
      if (more === null) return false;
      for (const id of more) ids.add(id);
      state.asOf = asOf;
      return true;
    });
    if (isCurrent) return ids;
    held.forget("expired");
    return (await held.get("expired", make)).ids;
  }

  /** Reads the matches of a portion or, where most links match, the others. */
  async function readRange(search: string, range: IdRange, set: IdSet): Promise<void> {
    let others = false;
    for (let from = range.from; from <= range.to; from += IDS_AT_ONCE) {
      const span = { from, to: Math.min(range.to, from + IDS_AT_ONCE - 1) };
      const { ids, links } = await repository.searchedWithin(search, span, others);
      if (others && links > 0) {
        if (links < span.to - span.from + 1) for (const id of await repository.idsWithin(span)) set.add(id);
        else for (let id = span.from; id <= span.to; id++) set.add(id);
        for (const id of ids) set.delete(id);
      } else for (const id of ids) set.add(id);
      if (ids.length > links / 2) others = !others;
    }
  }

  async function everything(all: IdRange): Promise<IdSet> {
    const make = async () => {
      const set = createIdSet();
      for (let from = all.from; from <= all.to; from += IDS_AT_ONCE) {
        const span = { from, to: Math.min(all.to, from + IDS_AT_ONCE - 1) };
        for (const id of await repository.idsWithin(span)) set.add(id);
      }
      const existing = heldSet(
        set,
        takenBy(() => true),
        { needsAll: true },
      );
      return { ...existing, isPinned: true };
    };
    return (await held.get(EVERY_LINK, make)).ids;
  }

  /** Reads the matches or the others, as a sample suggests, in one scan. */
  async function scanned(search: string, all: IdRange): Promise<IdSet | null> {
    const middle = (all.from + all.to) >> 1;
    const sample = await repository.searchedWithin(search, { from: middle, to: middle + SAMPLE }, false);
    const others = sample.ids.length > sample.links / 2;
    const set = others ? (await everything(all)).copy() : createIdSet();
    const ids = await repository.idsOfSearch(search, others);
    if (ids === null || ids.some((id) => id > LARGEST_ID)) return null;
    for (const id of ids) {
      if (others) set.delete(id);
      else set.add(id);
    }
    return set;
  }

  async function makeSearch(search: string, all: IdRange): Promise<IdSet | null> {
    const found = await texts.searched(search, all);
    if (found !== null) return found;
    if (repository.sharesScans) return scanned(search, all);
    const set = createIdSet();
    // Both readers of a file database.
    await Promise.all(cut(all).map((range) => readRange(search, range, set)));
    return set;
  }

  const isFrequent = (search: string): boolean =>
    performance.now() - (frequent.get(search) ?? -Infinity) < FREQUENT_MS;

  function noteFrequent(search: string): void {
    frequent.set(search, performance.now());
    if (frequent.size > MOST_FREQUENT) frequent.delete(frequent.keys().next().value!);
  }

  return {
    expiredAt,

    /** No id is outside `all`, except reported ones. */
    everything,
    knowsEverything: (): boolean => held.peek(EVERY_LINK) !== undefined,

    /** True if the sets of a filter without search exist. */
    knows: ({ tags, ownerId, domain, createdAfter, createdBefore, state }: LinkFilter): boolean =>
      ((createdAfter === null && createdBefore === null) ||
        held.peek(keyOfSpan(createdAfter, createdBefore)) !== undefined) &&
      tags.every((tag) => held.peek(keyOfTag(tag)) !== undefined) &&
      (ownerId === null || held.peek(keyOfOwner(ownerId)) !== undefined) &&
      (domain === null || held.peek(keyOfDomain(domain)) !== undefined) &&
      (state === null || held.peek("expired") !== undefined),

    /** Null if it matches too many links to read. No id is outside `all`, except reported ones. */
    async searched(search: string, all: IdRange): Promise<IdSet | null> {
      if (isFrequent(search) && !texts.isReady()) return null;
      const make = async () => {
        const set = await makeSearch(search, all);
        if (set === null) throw new TooFrequent();
        const taken: Taken = (links) =>
          repository.matchingAmong(
            { ...EVERYTHING, search },
            links.map(({ id }) => id),
          );
        return heldSet(set, taken, { needsAll: true });
      };
      try {
        return (await held.get(keyOfSearch(search), make)).ids;
      } catch (error) {
        if (!(error instanceof TooFrequent)) throw error;
        noteFrequent(search);
        return null;
      }
    },

    ofTag: (tag: string, all: IdRange, size?: number) =>
      setOf(
        keyOfTag(tag),
        ({ tags }) => tags.includes(tag),
        () => repository.idsOfTag(tag, all),
        size,
      ),

    ofOwner: (ownerId: number, size?: number) =>
      setOf(keyOfOwner(ownerId), (link) => link.ownerId === ownerId, idsOf({ ownerId }, "created_at"), size),

    ofDomain: (domain: number, size?: number) =>
      setOf(keyOfDomain(domain), ({ code }) => domainOf(code) === domain, idsOf({ domain }, "code"), size),

    /** Taken from the order by creation, if that exists. */
    createdBetween({ createdAfter, createdBefore }: LinkFilter, all: IdRange, order: Order) {
      const [from, to] = [createdAfter ?? -Infinity, createdBefore ?? Infinity];
      const takes = ({ createdAt }: Placed) => createdAt >= from && createdAt <= to;
      const span = { createdAfter, createdBefore };
      return setOf(keyOfSpan(createdAfter, createdBefore), takes, async function* () {
        const found = (await order())?.between({ value: from, tie: AFTER_CODES }, { value: to, tie: "" });
        if (found === undefined || found.edges.length > MOST_EDGES) {
          yield* idsOf(span, "created_at")();
          return;
        }
        yield found.inside.and(await everything(all)).all();
        for (const ids of chunked(found.edges, CHUNK)) {
          yield [...(await repository.matchingAmong({ ...EVERYTHING, ...span }, ids))];
        }
      });
    },
  };
}

class TooFrequent extends Error {}

export const keyOfSearch = (search: string): string => `search ${search}`;
export const keyOfTag = (tag: string): string => `tag ${tag}`;
export const keyOfOwner = (ownerId: number): string => `owner ${ownerId}`;
const keyOfSpan = (from: number | null, to: number | null): string => `created ${from} ${to}`;
export const keyOfDomain = (domain: number): string => `domain ${domain}`;
