import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import type { Dialect } from "../../db/dialect.ts";
import type { Schema } from "../../db/schema.ts";
import type { LinkFilter } from "./filter.ts";

/** `likely` as in Dialect.linkContains. */
export const matching =
  (dialect: Dialect, filter: LinkFilter, likely = false) =>
  (eb: ExpressionBuilder<Schema, "links">): Expression<SqlBool> => {
    const conditions: Expression<SqlBool>[] = [];
    if (filter.createdAfter !== null) conditions.push(eb("links.created_at", ">=", filter.createdAfter));
    if (filter.createdBefore !== null) conditions.push(eb("links.created_at", "<=", filter.createdBefore));
    if (filter.ownerId !== null) conditions.push(eb("links.owner_id", "=", filter.ownerId));
    if (filter.state === "expired") conditions.push(eb("links.expires_at", "<=", filter.asOf));
    if (filter.state === "active") {
      conditions.push(eb.or([eb("links.expires_at", "is", null), eb("links.expires_at", ">", filter.asOf)]));
    }
    if (filter.search !== null) conditions.push(dialect.linkContains(filter.search, { likely }));
    return eb.and(conditions);
  };
