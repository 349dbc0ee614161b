import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import type { Db, Dialect } from "../db/dialect.ts";
import type { Schema } from "../db/schema.ts";
import type { LinkFilter } from "./link-filter.ts";

/** With their clicks. */
export const linksIn = (db: Db) =>
  db
    .selectFrom("links")
    .leftJoin("link_clicks", "link_clicks.link_id", "links.id")
    .select([
      "links.id",
      "links.code",
      "links.target",
      "links.created_at as createdAt",
      "links.updated_at as updatedAt",
      "links.expires_at as expiresAt",
      "links.password_hash as passwordHash",
    ])
    .select((eb) => eb.fn.coalesce("link_clicks.clicks", eb.lit(0)).as("clickCount"));

/** `likely` as in Dialect.linkContains. */
export const matching =
  (dialect: Dialect, filter: LinkFilter, likely = false) =>
  (eb: ExpressionBuilder<Schema, "links">): Expression<SqlBool> => {
    const conditions: Expression<SqlBool>[] = [];
    if (filter.createdAfter !== null) conditions.push(eb("links.created_at", ">=", filter.createdAfter));
    if (filter.createdBefore !== null) conditions.push(eb("links.created_at", "<=", filter.createdBefore));
    if (filter.state === "expired") conditions.push(eb("links.expires_at", "<=", filter.asOf));
    if (filter.state === "active") {
      conditions.push(eb.or([eb("links.expires_at", "is", null), eb("links.expires_at", ">", filter.asOf)]));
    }
    if (filter.search !== null) conditions.push(dialect.linkContains(filter.search, { likely }));
    return eb.and(conditions);
  };
