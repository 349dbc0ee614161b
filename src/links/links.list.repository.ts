/**
 * The queries behind the list. A page is found as ids, over narrow columns and indexes; only then are its rows read
 * whole. links.list.ts decides which of the queries to use.
 */
import type { ExpressionBuilder, OrderByDirection, SelectQueryBuilder } from "kysely";
import type { Database } from "../db/database.ts";
import type { Schema } from "../db/schema.ts";
import type { Link } from "./link.ts";
import type { LinkFilter } from "./link-filter.ts";
import type { LinkOrder } from "./link-page.ts";
import { linksIn, matching } from "./links.query.repository.ts";

/** Rows at an offset in an order. */
export type Slice = { order: LinkOrder; offset: number; limit: number };

/** Links from one id to another, both included. */
export type IdRange = { from: number; to: number };

/**
 * How to find a page: `walk` goes along the order's index and stops after the page, which is right where much of
 * what it passes matches; `sort` looks at everything and sorts what matches.
 */
export type Plan = "walk" | "sort";

export type LinkListRepository = ReturnType<typeof createLinkListRepository>;

type Ids = SelectQueryBuilder<Schema, "links", { id: number }>;

export function createLinkListRepository({ read, dialect }: Pick<Database, "read" | "dialect">) {
  const matches = (filter: LinkFilter) => read.selectFrom("links").where(matching(dialect, filter));
  const within = (filter: LinkFilter, { from, to }: IdRange) =>
    matches(filter).where("links.id", ">=", from).where("links.id", "<=", to);

  /** Links sorted by expiry in two parts, those with one and those without, each along its own range of the index. */
  async function idsByExpiry(filter: LinkFilter, { order, offset, limit }: Slice): Promise<number[]> {
    const way = direction(order.descending);
    const dated = matches(filter).where("expires_at", "is not", null);
    const dateless = matches(filter).where("expires_at", "is", null);
    const parts = order.descending ? [dateless, dated] : [dated, dateless];
    const ids: number[] = [];
    let skip = offset;
    for (const part of parts) {
      if (ids.length === limit) break;
      const found = await idsOf(
        part
          .select("links.id")
          .orderBy("links.expires_at", way)
          .orderBy("links.id", way)
          .limit(limit - ids.length)
          .offset(skip),
      );
      ids.push(...found);
      if (found.length > 0) skip = 0;
      else skip = Math.max(0, skip - (await countOf(part)));
    }
    return ids;
  }

  async function idsByClicks(filter: LinkFilter, { order, offset, limit }: Slice): Promise<number[]> {
    const way = direction(order.descending);
    const clicks = read.selectFrom("link_clicks");
    const narrowed = isEverything(filter)
      ? clicks
      : clicks.where((eb) =>
          eb("link_id", "in", eb.selectFrom("links").select("links.id").where(matching(dialect, filter))),
        );
    const query = narrowed.select("link_id as id").orderBy("clicks", way).orderBy("link_id", way);
    return (await query.limit(limit).offset(offset).execute()).map((row) => row.id);
  }

  return {
    /** Without a search indexes answer it: links less expired ones, rather than looking at all that are active. */
    async count(filter: LinkFilter): Promise<number> {
      if (filter.state !== "active" || filter.search !== null) return countOf(matches(filter));
      const [all, expired] = ([null, "expired"] as const).map((state) =>
        counting(matches({ ...filter, state })),
      );
      const difference = read.selectNoFrom((eb) => eb(all!, "-", expired!).as("n"));
      return Number((await difference.executeTakeFirstOrThrow()).n);
    },

    countWithin: (filter: LinkFilter, range: IdRange): Promise<number> => countOf(within(filter, range)),

    /** The ids of the first matches in the range, ascending; `limit` ≤ 1,001. */
    idsWithin: (filter: LinkFilter, range: IdRange, limit: number): Promise<number[]> =>
      idsOf(within(filter, range).select("links.id").orderBy("links.id").limit(limit)),

    /** The smallest and the largest id there is, or null without links. */
    async extent(): Promise<IdRange | null> {
      const ends = await Promise.all(
        (["asc", "desc"] as const).map((way) =>
          read.selectFrom("links").select("id").orderBy("id", way).limit(1).executeTakeFirst(),
        ),
      );
      return ends[0] && ends[1] ? { from: ends[0].id, to: ends[1].id } : null;
    },

    /** The ids of a slice of what matches, in order; limit ≤ 100. */
    async pageIds(filter: LinkFilter, slice: Slice, plan: Plan): Promise<number[]> {
      const { order, offset, limit } = slice;
      if (order.sort === "expires_at") return idsByExpiry(filter, slice);
      if (order.sort === "click_count") return idsByClicks(filter, slice);
      const found = matches(filter).select("links.id");
      const way = direction(order.descending);
      const sorted =
        order.sort === "created_at"
          ? found
              .orderBy(column("links.created_at", 0, plan), way)
              .orderBy("links.code", direction(!order.descending))
          : found.orderBy(column("links.code", "", plan), way);
      return idsOf(sorted.limit(limit).offset(offset));
    },

    /** Those of up to 1,000 links that exist, in order; limit ≤ 100. */
    load(ids: readonly number[], { order, offset, limit }: Slice): Promise<Link[]> {
      const way = direction(order.descending);
      const links = linksIn(read).where("links.id", "in", ids);
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
      return sorted.limit(limit).offset(offset).execute();
    },

    /** The next matches behind the code `after` (null: from the beginning), ordered by code; limit ≤ 1,000. */
    after(filter: LinkFilter, after: string | null, limit: number): Promise<Link[]> {
      const links = linksIn(read).where(matching(dialect, filter));
      return links
        .$if(after !== null, (query) => query.where("links.code", ">", after!))
        .orderBy("links.code")
        .limit(limit)
        .execute();
    },
  };
}

/** The column to order by; wrapped in an expression the database can't walk its index. */
const column =
  (name: "links.created_at" | "links.code", never: number | string, plan: Plan) =>
  (eb: ExpressionBuilder<Schema, "links">) =>
    plan === "walk" ? eb.ref(name) : eb.fn.coalesce(name, eb.val(never));

const idsOf = async (query: Ids): Promise<number[]> => (await query.execute()).map((row) => row.id);

const direction = (descending: boolean): OrderByDirection => (descending ? "desc" : "asc");

const isEverything = (filter: LinkFilter): boolean =>
  filter.search === null &&
  filter.createdAfter === null &&
  filter.createdBefore === null &&
  filter.state === null;

const counting = (query: SelectQueryBuilder<Schema, "links", object>) =>
  query.select((eb) => eb.fn.countAll<number>().as("n"));

const countOf = async (query: SelectQueryBuilder<Schema, "links", object>): Promise<number> =>
  Number((await counting(query).executeTakeFirstOrThrow()).n);
