/** Queries find a page as ids or codes, over narrow columns and indexes, then read its rows. */
import type { ExpressionBuilder, OrderByDirection, SelectQueryBuilder } from "kysely";
import type { Database } from "../../db/database.ts";
import type { Schema } from "../../db/schema.ts";
import type { Link } from "../link.ts";
import { isEverything, type LinkFilter } from "./filter.ts";
import type { LinkOrder } from "./order.ts";
import type { ListPlace } from "./place.ts";
import { NEVER, following, followingClicks, followingExpiry, followingLink } from "./following.repository.ts";
import { linksIn, readTotal } from "../query.repository.ts";
import { createTagging } from "../tags/tagging.repository.ts";
import { matching } from "./matching.repository.ts";

export type Slice = {
  order: LinkOrder;
  offset: number;
  limit: number;
  /** Only what follows in the order. */
  after?: ListPlace | null;
};

/** Inclusive. */
export type IdRange = { from: number; to: number };

/**
 * `walk` follows the order's index (clicks: that of ranks) until the page is full. `sort` reads everything and sorts
 * the matches.
 */
export type ListPlan = "walk" | "sort";

export type LinkListRepository = ReturnType<typeof createLinkListRepository>;

/** At most 1,000. */
export type LinkKeys = { ids: readonly number[] } | { codes: readonly string[] };

/** `places`: of each key. */
type Found = LinkKeys & { places: readonly ListPlace[] };

/** From this share of matches a count uses `likely`. */
const LIKELY = 0.5;
/** Per query. */
export const MOST_SORTED = 8000;
const SORT_KEYS = ["links.id", "links.code", "links.created_at as createdAt"] as const;

/** Keys of the orders by code and creation. */
export type SortKeys = { id: number; code: string; createdAt: number };

type Ids = SelectQueryBuilder<Schema, "links", { id: number }>;

export function createLinkListRepository({ read, dialect }: Pick<Database, "read" | "dialect">) {
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

  async function sizesOf(tags: readonly string[]): Promise<Map<string, number>> {
    const found = await read.selectFrom("tags").select(["tag", "links"]).where("tag", "in", tags).execute();
    return new Map(found.map(({ tag, links }) => [tag, links]));
  }

  /** Links with and without expiry apart, each along its range of the index. */
  async function idsByExpiry(
    filter: LinkFilter,
    { order, offset, limit, after = null }: Slice,
    plan: ListPlan,
  ): Promise<Found> {
    const way = direction(order.descending);
    const select = (query: SelectQueryBuilder<Schema, "links", object>) =>
      query.select(["links.id", "links.expires_at as value"]);
    if (plan === "sort") {
      const sorted = select(matches(filter, { fromTag: true }))
        .$if(after !== null, (query) => query.where(followingExpiry(order, after!, "all")))
        .orderBy((eb) => eb.fn.coalesce("links.expires_at", eb.lit(NEVER)), way)
        .orderBy("links.id", way);
      return foundIds(await sorted.limit(limit).offset(offset).execute());
    }
    const dated = matches(filter).where("expires_at", "is not", null);
    const dateless = matches(filter).where("expires_at", "is", null);
    const parts = [
      { part: dated, sorted: dated.orderBy("links.expires_at", way).orderBy("links.id", way), isDated: true },
      { part: dateless, sorted: dateless.orderBy("links.id", way), isDated: false },
    ];
    const rows: { id: number; value: number | null }[] = [];
    let skip = offset;
    let place = after;
    for (const { part, sorted, isDated } of order.descending ? parts.toReversed() : parts) {
      if (rows.length === limit) break;
      const isPassed = place !== null && isDated !== (place.value !== null);
      if (isPassed) continue;
      const from = place;
      place = null;
      const found = await select(sorted)
        .$if(from !== null, (query) =>
          query.where(followingExpiry(order, from!, isDated ? "dated" : "dateless")),
        )
        .limit(limit - rows.length)
        .offset(skip)
        .execute();
      rows.push(...found);
      if (found.length > 0 || skip === 0) skip = 0;
      else skip = Math.max(0, skip - (await countOf(part)));
    }
    return foundIds(rows);
  }

  async function idsByClicks(
    filter: LinkFilter,
    { order, offset, limit, after = null }: Slice,
    plan: ListPlan,
  ): Promise<Found> {
    const way = direction(order.descending);
    const column = plan === "walk" ? "ranked" : "clicks";
    const clicks = read.selectFrom("link_clicks");
    const links = (eb: ExpressionBuilder<Schema, "link_clicks">) =>
      eb.selectFrom("links").where(matching(dialect, filter, { fromTag: plan === "sort" }));
    const narrowed = isEverything(filter)
      ? clicks
      : plan === "sort"
        ? clicks.where((eb) => eb("link_id", "in", links(eb).select("links.id")))
        : // A subquery, because a server may reorder a join.
          clicks.where((eb) => {
            const link = links(eb).whereRef("links.id", "=", "link_clicks.link_id");
            return eb(link.select(eb.lit(1).as("found")), "=", 1);
          });
    const found = await narrowed
      .$if(after !== null, (query) => query.where(followingClicks(order, after!, column)))
      .select(["link_id as id", `${column} as value`])
      .orderBy(column, way)
      .orderBy("link_id", way)
      .limit(limit)
      .offset(offset)
      .execute();
    return foundIds(found);
  }

  /** The index holds codes and times. */
  async function codesInOrder(
    filter: LinkFilter,
    { order, offset, limit, after = null }: Slice,
    plan: ListPlan,
  ): Promise<Found> {
    const isByCode = order.sort === "code";
    const sorted = sortedBy(matches(filter, { fromTag: plan === "sort" }).select("links.code"), order, plan)
      .$if(!isByCode, (query) => query.select("links.created_at as value"))
      .$if(after !== null, (query) => query.where(following(order, after!)));
    const rows = await sorted.limit(limit).offset(offset).execute();
    return {
      codes: rows.map(({ code }) => code),
      places: rows.map(({ code, value = null }) => ({ value, tie: code })),
    };
  }

  return {
    /** See Dialect. */
    sharesScans: dialect.sharesScans,

    /** Without a search: all links less the expired ones, from indexes. */
    async count(filter: LinkFilter): Promise<number> {
      if (isEverything(filter)) return readTotal(read);
      const [tag, ...more] = filter.tags;
      if (tag !== undefined && more.length === 0 && isEverything({ ...filter, tags: [] })) {
        return (await sizesOf([tag])).get(tag) ?? 0;
      }
      if (filter.state !== "active" || filter.search !== null || tag !== undefined) {
        return countOf(matches(filter, { fromTag: true }));
      }
      const [all, expired] = ([null, "expired"] as const).map((state) =>
        counting(matches({ ...filter, state })),
      );
      const difference = read.selectNoFrom((eb) => eb(all!, "-", expired!).as("n"));
      return Number((await difference.executeTakeFirstOrThrow()).n);
    },

    /** Number of links of each tag that has any. */
    sizesOf,

    /** Of at most `limit` matches, unordered. */
    matchingIds: (filter: LinkFilter, limit: number): Promise<number[]> =>
      idsOf(matches(filter, { fromTag: true }).select("links.id").limit(limit)),

    /** `share`: the share of matches elsewhere. */
    countWithin: (filter: LinkFilter, ranges: readonly IdRange[], share: number): Promise<number> =>
      countOf(within(filter, ranges, share >= LIKELY)),

    /** The first matches, by id; `limit` ≤ 1,001. */
    keysWithin: (filter: LinkFilter, range: IdRange, limit: number): Promise<SortKeys[]> =>
      within(filter, [range]).select(SORT_KEYS).orderBy("links.id").limit(limit).execute(),

    /** Null without links. */
    async extent(): Promise<IdRange | null> {
      const ends = await Promise.all(
        (["asc", "desc"] as const).map((way) =>
          read.selectFrom("links").select("id").orderBy("id", way).limit(1).executeTakeFirst(),
        ),
      );
      return ends[0] && ends[1] ? { from: ends[0].id, to: ends[1].id } : null;
    },

    /** In order; limit ≤ 101. */
    async pageKeys(filter: LinkFilter, slice: Slice, plan: ListPlan): Promise<Found> {
      if (slice.order.sort === "expires_at") return idsByExpiry(filter, slice, plan);
      if (slice.order.sort === "click_count") return idsByClicks(filter, slice, plan);
      return codesInOrder(filter, slice, plan);
    },

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

/** The order's column. An expression could not use its index. */
const column =
  (name: "links.created_at" | "links.code", never: number | string, plan: ListPlan) =>
  (eb: ExpressionBuilder<Schema, "links">) =>
    plan === "walk" ? eb.ref(name) : eb.fn.coalesce(name, eb.val(never));

function sortedBy<O>(query: SelectQueryBuilder<Schema, "links", O>, order: LinkOrder, plan: ListPlan) {
  const way = direction(order.descending);
  return order.sort === "code"
    ? query.orderBy(column("links.code", "", plan), way)
    : query
        .orderBy(column("links.created_at", 0, plan), way)
        .orderBy("links.code", direction(!order.descending));
}

const idsOf = async (query: Ids): Promise<number[]> => (await query.execute()).map((row) => row.id);

const foundIds = (rows: readonly { id: number; value: number | null }[]): Found => ({
  ids: rows.map(({ id }) => id),
  places: rows.map(({ id, value }) => ({ value, tie: id })),
});

const direction = (descending: boolean): OrderByDirection => (descending ? "desc" : "asc");

const counting = (query: SelectQueryBuilder<Schema, "links", object>) =>
  query.select((eb) => eb.fn.countAll<number>().as("n"));

const countOf = async (query: SelectQueryBuilder<Schema, "links", object>): Promise<number> =>
  Number((await counting(query).executeTakeFirstOrThrow()).n);
