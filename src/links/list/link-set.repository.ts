/** Sets of links, deleted ones too, for sums of their clicks. */
import {
  type Expression,
  type ExpressionBuilder,
  type RawBuilder,
  type SelectQueryBuilder,
  sql,
  type SqlBool,
} from "kysely";
import type { Database } from "../../platform/db/database.ts";
import type { Schema } from "../../platform/db/schema.ts";
import { keysOf } from "../link/key.ts";
import type { LinkFilter } from "./filter.ts";
import { matching } from "./matching.repository.ts";
import { smallest } from "./plan.ts";
import { createStarts } from "./sizes.repository.ts";

type IdQuery = SelectQueryBuilder<Schema, never, { id: number }>;

/** Few ids, or a query of distinct ones. */
export type LinkSet =
  | { ids: readonly number[] }
  | { query: IdQuery /** Whether the column has one of them. */; has(column: string): RawBuilder<SqlBool> };

/** Links with these ids (null: with any) that the filter finds. */
type LinkChoice = { ids: readonly number[] | null; filter: LinkFilter };

/** More are a query. */
const FEW = 1_000;

type DeletedLinks = ExpressionBuilder<Schema, "deleted_links">;

export type LinkSets = ReturnType<typeof createLinkSets>;

export function createLinkSets(database: Database) {
  const { read, dialect } = database;
  const startsOf = createStarts(database, {});

  /** Links that exist, or null if there are none. */
  async function living({ ids, filter }: LinkChoice) {
    const { starts, filter: ranked } = await startsOf(filter);
    const least = smallest(starts);
    if (least?.links === 0) return null;
    const start = ids === null ? least?.start : { ids };
    const links = read.selectFrom("links").select("links.id");
    return links.where(matching(dialect, ranked, start === undefined ? [] : [start]));
  }

  const areDeleted =
    ({ ids, filter: { domain, owners } }: LinkChoice) =>
    (eb: DeletedLinks): Expression<SqlBool> => {
      const conditions: Expression<SqlBool>[] = [];
      if (ids !== null) conditions.push(eb("deleted_links.link_id", "in", ids));
      if (owners !== null) conditions.push(eb("deleted_links.owner_id", "in", owners));
      if (domain !== null) {
        const { from, to } = keysOf(domain);
        conditions.push(eb("deleted_links.code", ">=", from), eb("deleted_links.code", "<", to));
      }
      return eb.and(conditions);
    };

  // Looking each of many links up in each bucket takes longer than reading the buckets.
  const chosen = (query: IdQuery): LinkSet => ({
    query,
    has: (column) => sql<SqlBool>`${dialect.scanned(column)} in ${query}`,
  });

  return {
    /** Without a deleted link where the filter has a tag or text. */
    async find(choice: LinkChoice): Promise<LinkSet> {
      if (choice.ids?.length === 0) return { ids: [] };
      const { tags, search } = choice.filter;
      const links = await living(choice);
      const deleted = read.selectFrom("deleted_links").where(areDeleted(choice)).select("link_id as id");
      const isLiving = tags.length > 0 || search !== null;
      if (links === null && isLiving) return { ids: [] };
      const all = links === null ? deleted : isLiving ? links : links.union(deleted);
      const query = all as unknown as IdQuery;
      const some = read.selectFrom(query.as("chosen")).select("id");
      const rows = await some.limit(FEW + 1).execute();
      return rows.length > FEW ? chosen(query) : { ids: rows.map(({ id }) => id) };
    },

    /** Links that have one of up to 10,000 keys, as code or alias, or had it when they were deleted; of owners, or of all. */
    async withKeys(
      keys: readonly string[],
      owners: readonly number[] | null,
    ): Promise<{ id: number; code: string }[]> {
      if (keys.length === 0) return [];
      const isOwn = <T extends { where(column: never, operator: "in", ids: readonly number[]): T }>(
        query: T,
        column: string,
      ): T => (owners === null ? query : query.where(column as never, "in", owners));
      const links = read.selectFrom("links").select(["links.id", "links.code"]);
      const aliases = read
        .selectFrom("link_aliases")
        .innerJoin("links", "links.id", "link_aliases.link_id")
        .select(["links.id", "link_aliases.code"]);
      const deleted = read.selectFrom("deleted_links").select(["link_id as id", "code"]);
      return isOwn(links.where("links.code", "in", keys), "links.owner_id")
        .unionAll(isOwn(aliases.where("link_aliases.code", "in", keys), "links.owner_id"))
        .unionAll(isOwn(deleted.where("code", "in", keys), "owner_id"))
        .execute();
    },
  };
}
