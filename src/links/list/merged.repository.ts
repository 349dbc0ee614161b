/** The order by creation of several owners' links, of which the index has each owner's in order. */
import { sql, type SqlBool } from "kysely";
import type { Db, Dialect } from "../../platform/db/dialect.ts";
import type { LinkFilter } from "./filter.ts";
import { rangesAfter } from "./following.repository.ts";
import { matching } from "./matching.repository.ts";
import type { Slice } from "./place.ts";

/** Rows that a merge may copy; a sort of all costs less than more. */
const COPIED = 50_000;

/** @param depth links from the start of the order to the end of the slice */
export function isMerged({ sortedUnions }: Dialect, { owners }: LinkFilter, depth: number): boolean {
  if (owners === null || owners.length < 2) return false;
  return sortedUnions !== "copied" || owners.length * depth <= COPIED;
}

/** A union of a query for each owner. */
export function mergedByCreation(
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
