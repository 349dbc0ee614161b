/** Queries find the ids or codes of a page, over narrow columns and indexes, then read its rows. */
import type { SelectQueryBuilder } from "kysely";
import { chunked } from "../../lib/chunked.ts";
import type { Database } from "../../db/database.ts";
import type { Db } from "../../db/dialect.ts";
import type { Schema } from "../../db/schema.ts";
import type { Link } from "../link/link.ts";
import { isEverything, type LinkFilter } from "./filter.ts";
import type { LinkOrder } from "./order.ts";
import type { ListPlace } from "./place.ts";
import { following, followingLink } from "./following.repository.ts";
import {
  counting,
  countRows,
  createOrderedKeys,
  direction,
  type LinkKeys,
  type Slice,
  sortedBy,
} from "./ordered-keys.repository.ts";
import { keysOf } from "../link/key.ts";
import { linksIn, readingTotal, readTotal } from "../link/query.repository.ts";
import { createTagging } from "../tags/tagging.repository.ts";
import { matching } from "./matching.repository.ts";
import { createPositionsRepository } from "./positions.repository.ts";

/** Inclusive. */
export type IdRange = { from: number; to: number };

export type LinkListRepository = ReturnType<typeof createLinkListRepository>;

/** From this share of matches a count uses `likely`. */
const LIKELY = 0.5;
/** Links of a domain, or of the others. */
const COUNTED = 20_000;
/** Per query. */
export const MOST_SORTED = 8000;
const CHUNK = 1_000;
const SORT_KEYS = ["links.id", "links.code", "links.created_at as createdAt"] as const;

/** Keys of the orders by code and creation. */
export type SortKeys = { id: number; code: string; createdAt: number };

type Ids = SelectQueryBuilder<Schema, "links", { id: number }>;

export function createLinkListRepository(
  { read, dialect }: Pick<Database, "read" | "dialect">,
  { countedUpTo = COUNTED } = {},
) {
  const { tagsOf } = createTagging(dialect);
  async function tagged(links: readonly Omit<Link, "tags">[]): Promise<Link[]> {
    const tags = await tagsOf(
      read,
      links.map(({ id }) => id),
    );
    return links.map((link) => ({ ...link, tags: tags.get(link.id) ?? [] }));
  }

  const matches = (filter: LinkFilter, { fromTag = false } = {}) =>
    read.selectFrom("links").where(matching(dialect, filter, { fromTag }));
  /** Ranges first: a server tests equally expensive conditions in order. */
  const within = (filter: LinkFilter, ranges: readonly IdRange[], likely = false) =>
    read
      .selectFrom("links")
      .where((eb) => eb.or(ranges.map(({ from, to }) => eb.between("links.id", from, to))))
      .where(matching(dialect, filter, { likely }));

  const pageKeys = createOrderedKeys(read, dialect);

  async function sizesOf(tags: readonly string[]): Promise<Map<string, number>> {
    const found = await read.selectFrom("tags").select(["tag", "links"]).where("tag", "in", tags).execute();
    return new Map(found.map(({ tag, links }) => [tag, links]));
  }

  /** By the total of all links, if the domain or the others have few. */
  async function countDomain(domain: number): Promise<number> {
    const keys = keysOf(domain);
    const inside = read.selectFrom("links").where("code", ">=", keys.from).where("code", "<", keys.to);
    const below = read.selectFrom("links").where("code", "<", keys.from);
    const above = read.selectFrom("links").where("code", ">=", keys.to);
    const upTo = (links: typeof inside) =>
      read
        .selectFrom(
          links
            .select("code")
            .limit(countedUpTo + 1)
            .as("some"),
        )
        .select((eb) => eb.fn.countAll<number>().as("n"));
    const sums = await read
      .selectNoFrom([
        readingTotal(read).as("all"),
        upTo(inside).as("own"),
        upTo(below).as("before"),
        upTo(above).as("behind"),
      ])
      .executeTakeFirstOrThrow();
    const [own, before, behind] = [Number(sums.own), Number(sums.before), Number(sums.behind)];
    if (own <= countedUpTo) return own;
    if (before <= countedUpTo && behind <= countedUpTo) return Number(sums.all ?? 0) - before - behind;
    return countRows(inside);
  }

  return {
    sharesScans: dialect.sharesScans,

    /** Without a search: all links less the expired ones, from indexes. */
    async count(filter: LinkFilter): Promise<number> {
      if (isEverything(filter)) return readTotal(read);
      const [tag, ...more] = filter.tags;
      if (tag !== undefined && more.length === 0 && isEverything({ ...filter, tags: [] })) {
        return (await sizesOf([tag])).get(tag) ?? 0;
      }
      const { domain } = filter;
      if (domain !== null && isEverything({ ...filter, domain: null })) return countDomain(domain);
      if (filter.state !== "active" || filter.search !== null || tag !== undefined) {
        return countRows(matches(filter, { fromTag: true }));
      }
      const [all, expired] = ([null, "expired"] as const).map((state) =>
        counting(matches({ ...filter, state })),
      );
      const difference = read.selectNoFrom((eb) => eb(all!, "-", expired!).as("n"));
      return Number((await difference.executeTakeFirstOrThrow()).n);
    },

    sizesOf,

    /** Of at most `limit` matches, unordered. */
    matchingIds: (filter: LinkFilter, limit: number): Promise<number[]> =>
      idsOf(matches(filter, { fromTag: true }).select("links.id").limit(limit)),

    /** `share`: the share of matches elsewhere. */
    countWithin: (filter: LinkFilter, ranges: readonly IdRange[], share: number): Promise<number> =>
      countRows(within(filter, ranges, share >= LIKELY)),

    /** The first matches, by id; `limit` ≤ 1,001. */
    keysWithin: (filter: LinkFilter, range: IdRange, limit: number): Promise<SortKeys[]> =>
      within(filter, [range]).select(SORT_KEYS).orderBy("links.id").limit(limit).execute(),

    /** The matches of at most 1,000 ids, by id. */
    keysAmong: (filter: LinkFilter, ids: readonly number[]): Promise<SortKeys[]> =>
      matches(filter).where("links.id", "in", ids).select(SORT_KEYS).orderBy("links.id").execute(),

    /** Of at most 1,000 codes, in any order. */
    idsOfCodes: (codes: readonly string[]): Promise<number[]> =>
      idsOf(read.selectFrom("links").select("links.id").where("links.code", "in", codes)),

    /** Of at most 1,000 codes. */
    async stillMatching(filter: LinkFilter, codes: readonly string[], db: Db): Promise<Set<string>> {
      const rows = await db
        .selectFrom("links")
        .select("links.code")
        .where("links.code", "in", codes)
        .where(matching(dialect, filter))
        .execute();
      return new Set(rows.map(({ code }) => code));
    },

    /** In any order. */
    async keysOf(ids: readonly number[]): Promise<SortKeys[]> {
      const keys: SortKeys[] = [];
      for (const chunk of chunked(ids, CHUNK)) {
        keys.push(...(await read.selectFrom("links").select(SORT_KEYS).where("id", "in", chunk).execute()));
      }
      return keys;
    },

    /** Null without links. */
    async extent(): Promise<IdRange | null> {
      const ends = await Promise.all(
        (["asc", "desc"] as const).map((way) =>
          read.selectFrom("links").select("id").orderBy("id", way).limit(1).executeTakeFirst(),
        ),
      );
      return ends[0] && ends[1] ? { from: ends[0].id, to: ends[1].id } : null;
    },

    pageKeys,

    positions: createPositionsRepository({ read, dialect }),

    /** The first matches in the ranges, and their number; 1 ≤ limit ≤ MOST_SORTED. */
    async firstWithin(
      filter: LinkFilter,
      ranges: readonly IdRange[],
      order: LinkOrder,
      limit: number,
      after: ListPlace | null = null,
    ): Promise<{ keys: SortKeys[]; total: number }> {
      const found = within(filter, ranges)
        .select(SORT_KEYS)
        .$if(after !== null, (query) => query.where(following(order, after!)));
      const counted = found.select((eb) => eb.fn.countAll<number>().over().as("total"));
      const keys = await sortedBy(counted, order, "sort").limit(limit).execute();
      return { keys, total: Number(keys[0]?.total ?? 0) };
    },

    /** A slice of up to 1,000 links, in order; limit ≤ 101. */
    async load(keys: LinkKeys, { order, offset, limit, after = null }: Slice): Promise<Link[]> {
      if (("ids" in keys ? keys.ids : keys.codes).length === 0) return [];
      const way = direction(order.descending);
      const found =
        "ids" in keys
          ? linksIn(read).where("links.id", "in", keys.ids)
          : linksIn(read).where("links.code", "in", keys.codes);
      const links = after === null ? found : found.where(followingLink(order, after));
      const sorted =
        order.sort === "created_at"
          ? links.orderBy("links.created_at", way).orderBy("links.code", direction(!order.descending))
          : order.sort === "code"
            ? links.orderBy("links.code", way)
            : order.sort === "click_count"
              ? links.orderBy("link_clicks.clicks", way).orderBy("links.id", way)
              : links
                  .orderBy((eb) => eb.case().when("links.expires_at", "is", null).then(1).else(0).end(), way)
                  .orderBy("links.expires_at", way)
                  .orderBy("links.id", way);
      return tagged(await sorted.limit(limit).offset(offset).execute());
    },

    /** By code, after `after` (null: from the start); limit ≤ 1,000. */
    async after(filter: LinkFilter, after: string | null, limit: number): Promise<Link[]> {
      const links = linksIn(read).where(matching(dialect, filter));
      return tagged(
        await links
          .$if(after !== null, (query) => query.where("links.code", ">", after!))
          .orderBy("links.code")
          .limit(limit)
          .execute(),
      );
    },
  };
}

const idsOf = async (query: Ids): Promise<number[]> => (await query.execute()).map((row) => row.id);
