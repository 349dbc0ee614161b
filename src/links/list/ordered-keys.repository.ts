/** Finds the keys of a page in its order, over narrow columns and indexes. */
import {
  type Expression,
  type ExpressionBuilder,
  type OrderByDirection,
  type SelectQueryBuilder,
  sql,
  type SqlBool,
} from "kysely";
import type { Db, Dialect } from "../../platform/db/dialect.ts";
import { oncePer, prepared } from "../../platform/db/prepared.ts";
import { countRows } from "../../platform/db/queries.ts";
import type { Schema } from "../../platform/db/schema.ts";
import { isEverything, type LinkFilter } from "./filter.ts";
import { hasTag, matching } from "./matching.repository.ts";
import { HUMAN_CLICKS } from "../link/query.repository.ts";
import { isByClicks, type LinkOrder, type ListPlace, type Slice, type SortKey } from "./query.ts";
import { BOUNDS, type ListPlan, type Start, WALK } from "./plan.ts";

/** At most 1,000. */
export type LinkKeys = { ids: readonly number[] } | { codes: readonly string[] };

/** `places`: of each key. */
type Found = LinkKeys & { places: readonly ListPlace[] };

export function createOrderedKeys(read: Db, dialect: Dialect) {
  const matches = (filter: LinkFilter, starts: readonly Start[]) =>
    read.selectFrom("links").where(matching(dialect, filter, starts));

  /** Links with and without expiry apart, each along its range of the index. */
  async function idsByExpiry(
    filter: LinkFilter,
    { order, offset, limit, after = null }: Slice,
    plan: ListPlan,
  ): Promise<Found> {
    const way = direction(order.descending);
    const select = (query: SelectQueryBuilder<Schema, "links", object>) =>
      query.select(["links.id", "links.expires_at as value"]);
    if (plan.by === "sort") {
      // With the code: a server might otherwise read the whole index by expiry instead of a tag's rows.
      const sorted = select(matches(filter, startsOf(plan, order)))
        .select("links.code")
        .$if(after !== null, (query) => query.where(followingExpiry(order, after!, "all")))
        .orderBy((eb) => eb.fn.coalesce("links.expires_at", eb.lit(NEVER)), way)
        .orderBy("links.id", way);
      return foundIds(await sorted.limit(limit).offset(offset).execute());
    }
    const along = (part: Links, isDated: boolean) => ({
      part,
      sorted: select((isDated ? part.orderBy("links.expires_at", way) : part).orderBy("links.id", way)),
    });
    const all = matches(filter, BOUNDS.expires_at);
    const dated = all
      .where("expires_at", "is not", null)
      .$if(filter.state === "active", (query) => query.where("expires_at", ">", filter.asOf));
    const dateless = all.where("expires_at", "is", null);
    const isAmongDated = after !== null && after.value !== null;
    const isAmongDateless = after !== null && !isAmongDated;
    const dates = isAmongDated ? rangesAfter(order, after).map((range) => dated.where(range)) : [dated];
    const others = isAmongDateless ? dateless.where(followingExpiry(order, after, "dateless")) : dateless;
    const withDates = isAmongDateless && !order.descending ? [] : dates.map((part) => along(part, true));
    const isPassed = filter.state === "expired" || (isAmongDated && order.descending);
    const withoutDates = isPassed ? [] : [along(others, false)];
    const parts = order.descending ? [...withoutDates, ...withDates] : [...withDates, ...withoutDates];
    const rows = await alongParts<{ id: number; value: number | null }>(parts, { offset, limit });
    return foundIds(rows);
  }

  /** Along the ranks, or the counts of what is found first. */
  async function idsByClicks(filter: LinkFilter, slice: Slice, plan: ListPlan): Promise<Found> {
    const { order, offset, limit, after = null } = slice;
    const way = direction(order.descending);
    const counted = countedBy(order, plan);
    if (plan.by === "sort" && !isEverything(filter)) {
      // An outer join with an expression, or a server might sort the counts of all links before it joins them.
      const sorted = matches(filter, startsOf(plan, order))
        .leftJoin("link_clicks", "link_clicks.link_id", "links.id")
        .select((eb) => ["links.id", eb.fn.coalesce(counted, eb.lit(0)).as("value")])
        .$if(after !== null, (query) => query.where(followingClicks(order, after!, plan)))
        .orderBy((eb) => eb.fn.coalesce(counted, eb.lit(0)), way)
        .orderBy("links.id", way);
      return foundIds(await sorted.limit(limit).offset(offset).execute());
    }
    const found = await read
      .selectFrom("link_clicks")
      .$if(after !== null, (query) => query.where(followingClicks(order, after!, plan)))
      .where((eb) => {
        // Tags first: they are tested in narrow rows.
        const tagged = eb.and(filter.tags.map((tag) => hasTag(tag, "link_clicks.link_id")));
        const others = { ...filter, tags: [] };
        if (isEverything(others)) return tagged;
        // A subquery, because a server may reorder a join.
        const link = eb
          .selectFrom("links")
          .where(matching(dialect, others, startsOf(plan, order)))
          .whereRef("links.id", "=", "link_clicks.link_id");
        return tagged.and(eb(link.select(eb.lit(1).as("found")), "=", 1));
      })
      .select(["link_id as id", counted.as("value")])
      .orderBy(counted, way)
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
    if (after === null && offset + limit <= MOST_AT_ONCE && isEverything(filter))
      return foundCodes(await firstCodes(order)(read, limit, offset));
    if (!isByCode && plan.by === "walk" && isMerged(dialect, filter, offset + limit)) {
      return foundCodes(await mergedByCreation(read, dialect, filter, { order, offset, limit, after }));
    }
    const part = matches(filter, startsOf(plan, order));
    const ranges =
      after === null
        ? [part]
        : isByCode || plan.by === "sort"
          ? [part.where(following(order, after))]
          : rangesAfter(order, after).map((range) => part.where(range));
    const parts = ranges.map((range) => {
      const sorted = sortedBy(range.select("links.code"), order, plan);
      return {
        part: range,
        sorted: sorted.$if(!isByCode, (query) => query.select("links.created_at as value")),
      };
    });
    const rows = await alongParts<{ code: string; value?: number }>(parts, { offset, limit });
    return foundCodes(rows);
  }

  /** Finds keys in order; limit ≤ 10,000. */
  return async function pageKeys(filter: LinkFilter, slice: Slice, plan: ListPlan): Promise<Found> {
    if (slice.order.sort === "expires_at") return idsByExpiry(filter, slice, plan);
    if (isByClicks(slice.order.sort)) return idsByClicks(filter, slice, plan);
    return codesInOrder(filter, slice, plan);
  };
}

/** Links passed along an index by one prepared query. */
const MOST_AT_ONCE = 1_000;

/** The codes of all links, in an order by code or creation. */
const firstCodes = oncePer(
  (order: LinkOrder) =>
    prepared((db, limit: number, offset: number) =>
      sortedBy(db.selectFrom("links").select("links.code"), order, WALK)
        .$if(order.sort !== "code", (query) => query.select("links.created_at as value"))
        .limit(limit)
        .offset(offset),
    ),
  ({ sort, descending }) => `${sort} ${descending}`,
);

const startsOf = (plan: ListPlan, { sort }: LinkOrder): readonly Start[] =>
  plan.by === "walk" ? BOUNDS[sort] : plan.from === null ? [] : [plan.from];

type Links = SelectQueryBuilder<Schema, "links", object>;
type Part<O> = { part: Links; sorted: SelectQueryBuilder<Schema, "links", O> };

/** A slice of several ranges, one after the other. */
async function alongParts<O>(
  parts: readonly Part<O>[],
  { offset, limit }: Pick<Slice, "offset" | "limit">,
): Promise<O[]> {
  const rows: O[] = [];
  let skip = offset;
  for (const [at, { part, sorted }] of parts.entries()) {
    if (rows.length === limit) break;
    const found = (await sorted
      .limit(limit - rows.length)
      .offset(skip)
      .execute()) as O[];
    rows.push(...found);
    if (found.length > 0 || skip === 0 || at === parts.length - 1) skip = 0;
    else skip = Math.max(0, skip - (await countRows(part)));
  }
  return rows;
}

/** The column of the order. An expression could not use its index. */
const orderColumn =
  (name: "links.created_at" | "links.code", never: number | string, plan: ListPlan) =>
  (eb: ExpressionBuilder<Schema, "links">) =>
    plan.by === "walk" ? eb.ref(name) : eb.fn.coalesce(name, eb.val(never));

function sortedBy<O>(query: SelectQueryBuilder<Schema, "links", O>, order: LinkOrder, plan: ListPlan) {
  const way = direction(order.descending);
  return order.sort === "code"
    ? query.orderBy(orderColumn("links.code", "", plan), way)
    : query
        .orderBy(orderColumn("links.created_at", 0, plan), way)
        .orderBy("links.code", direction(!order.descending));
}

const foundCodes = (rows: readonly { code: string; value?: number }[]): Found => ({
  codes: rows.map(({ code }) => code),
  places: rows.map(({ code, value = null }) => ({ value, tie: code })),
});

const foundIds = (rows: readonly { id: number; value: number | null }[]): Found => ({
  ids: rows.map(({ id }) => id),
  places: rows.map(({ id, value }) => ({ value, tie: id })),
});

export const direction = (descending: boolean): OrderByDirection => (descending ? "desc" : "asc");

type LinkColumns = ExpressionBuilder<Schema, "links">;
type ClickColumns = ExpressionBuilder<Schema, "link_clicks">;
type Condition<E> = (eb: E) => Expression<SqlBool>;

/** Stands for no expiry and sorts after all others. */
export const NEVER = Number.MAX_SAFE_INTEGER;

/** What follows a place in an order by code or creation. */
export const following =
  ({ sort, descending }: LinkOrder, { value, tie }: ListPlace): Condition<LinkColumns> =>
  (eb) => {
    const code = String(tie);
    if (sort === "code") return eb("links.code", descending ? "<" : ">", code);
    const created = eb.ref("links.created_at");
    return eb.and([
      eb(created, descending ? "<=" : ">=", value),
      eb.or([eb(created, descending ? "<" : ">", value), eb("links.code", descending ? ">" : "<", code)]),
    ]);
  };

/** Among links with an expiry, without one, or all together. */
const followingExpiry =
  (
    { descending }: LinkOrder,
    { value, tie }: ListPlace,
    among: "dated" | "dateless" | "all",
  ): Condition<LinkColumns> =>
  (eb) => {
    const [beyond, notBefore] = descending ? (["<", "<="] as const) : ([">", ">="] as const);
    const id = eb("links.id", beyond, Number(tie));
    if (among === "dateless") return id;
    const expiry =
      among === "dated" ? eb.ref("links.expires_at") : eb.fn.coalesce("links.expires_at", eb.lit(NEVER));
    const bound = value ?? NEVER;
    return eb.and([eb(expiry, notBefore, bound), eb.or([eb(expiry, beyond, bound), id])]);
  };

/** The count of an order by clicks. */
export const countInOrder = (sort: SortKey) =>
  sort === "human_clicks" ? HUMAN_CLICKS : sql.ref<number>("link_clicks.clicks");

/** The count, or its rank along an index. */
const countedBy = ({ sort }: LinkOrder, plan: ListPlan) =>
  plan.by === "sort"
    ? countInOrder(sort)
    : sql.ref<number>(`link_clicks.${sort === "human_clicks" ? "ranked_human" : "ranked"}`);

const followingClicks =
  (order: LinkOrder, { value, tie }: ListPlace, plan: ListPlan): Condition<ClickColumns> =>
  (eb) => {
    const [beyond, notBefore] = order.descending ? (["<", "<="] as const) : ([">", ">="] as const);
    const counted = countedBy(order, plan);
    // Counts may come from an outer join, which must stay one.
    const clicks = plan.by === "walk" ? counted : eb.fn.coalesce(counted, eb.lit(0));
    return eb.and([
      eb(clicks, notBefore, value),
      eb.or([eb(clicks, beyond, value), eb("link_clicks.link_id", beyond, Number(tie))]),
    ]);
  };

/**
 * What follows a place in an order by creation or expiry (of links that have one), as two ranges of the index: links of
 * the same instant, then the others. Any number may share an instant, and one condition would read all of them.
 */
export function rangesAfter(
  { sort, descending }: LinkOrder,
  { value, tie }: ListPlace,
): Condition<LinkColumns>[] {
  const isByCode = sort === "created_at";
  const column = isByCode ? ("links.created_at" as const) : ("links.expires_at" as const);
  // Codes go the other way.
  const isBelow = isByCode !== descending;
  return [
    (eb) =>
      eb.and([
        eb(column, "=", value),
        isByCode
          ? eb("links.code", isBelow ? "<" : ">", String(tie))
          : eb("links.id", isBelow ? "<" : ">", Number(tie)),
      ]),
    (eb) => eb(column, descending ? "<" : ">", value),
  ];
}

/** Rows that a merge may copy; a sort of all costs less than more. */
const COPIED = 50_000;

/** @param depth links from the start of the order to the end of the slice */
function isMerged({ sortedUnions }: Dialect, { owners }: LinkFilter, depth: number): boolean {
  if (owners === null || owners.length < 2) return false;
  return sortedUnions !== "copied" || owners.length * depth <= COPIED;
}

/** The order by creation of several owners' links, as a union of a query for each owner, which the index has in order. */
function mergedByCreation(
  read: Db,
  dialect: Dialect,
  filter: LinkFilter,
  { order, offset, limit, after = null }: Slice,
): Promise<{ code: string; value: number }[]> {
  const [way, codeWay] = order.descending ? (["desc", "asc"] as const) : (["asc", "desc"] as const);
  const ranges = after === null ? [() => sql<SqlBool>`1 = 1`] : rangesAfter(order, after);
  const parts = filter.owners!.flatMap((owner) =>
    ranges.map((range) => {
      const own = read
        .selectFrom("links")
        .where(matching(dialect, { ...filter, owners: [owner] }, ["owner", "created"]))
        .where(range)
        .select(["links.code", "links.created_at as value"])
        .orderBy("links.created_at", way)
        .orderBy("links.code", codeWay)
        .$if(dialect.sortedUnions !== "merged", (query) => query.limit(offset + limit));
      return read.selectFrom(own.as("own")).select(["own.code", "own.value"]);
    }),
  );
  const merged = parts.reduce((all, part) => all.unionAll(part));
  return merged.orderBy("value", way).orderBy("code", codeWay).limit(limit).offset(offset).execute();
}
