import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import type { Dialect } from "../../db/dialect.ts";
import type { Schema } from "../../db/schema.ts";
import { keysOf } from "../link/key.ts";
import type { LinkFilter } from "./filter.ts";

type Hints = {
  /** As in Dialect.linkContains. */
  likely?: boolean;
  /** Reads the links of the first tag instead of testing each link's tags. */
  fromTag?: boolean;
};

export const matching =
  (dialect: Dialect, filter: LinkFilter, { likely = false, fromTag = false }: Hints = {}) =>
  (eb: ExpressionBuilder<Schema, "links">): Expression<SqlBool> => {
    const conditions: Expression<SqlBool>[] = [];
    if (filter.createdAfter !== null) conditions.push(eb("links.created_at", ">=", filter.createdAfter));
    if (filter.createdBefore !== null) conditions.push(eb("links.created_at", "<=", filter.createdBefore));
    if (filter.domain !== null) {
      const { from, to } = keysOf(filter.domain);
      if (from !== "") conditions.push(eb("links.code", ">=", from));
      conditions.push(eb("links.code", "<", to));
    }
    if (filter.ownerId !== null) conditions.push(eb("links.owner_id", "=", filter.ownerId));
    if (filter.state === "expired") conditions.push(eb("links.expires_at", "<=", filter.asOf));
    if (filter.state === "active") {
      conditions.push(eb.or([eb("links.expires_at", "is", null), eb("links.expires_at", ">", filter.asOf)]));
    }
    for (const [at, tag] of filter.tags.entries()) {
      const tagged = eb
        .selectFrom("link_tags")
        .where("link_tags.tag_id", "=", (id) =>
          id.selectFrom("tags").select("tags.id").where("tags.tag", "=", tag),
        );
      // A server may turn `exists` into a join that starts with the tag.
      const link = tagged.whereRef("link_tags.link_id", "=", "links.id").select(eb.lit(1).as("found"));
      conditions.push(
        fromTag && at === 0 ? eb("links.id", "in", tagged.select("link_tags.link_id")) : eb(link, "=", 1),
      );
    }
    if (filter.search !== null) conditions.push(dialect.linkContains(filter.search, { likely }));
    return eb.and(conditions);
  };
