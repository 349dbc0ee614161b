import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import type { Dialect } from "../../db/dialect.ts";
import type { Schema } from "../../db/schema.ts";
import { keysOf } from "../link/key.ts";
import type { LinkFilter } from "./filter.ts";
import type { Start } from "./plan.ts";

type Links = ExpressionBuilder<Schema, "links">;

const NONE = -1;

/** Indexes serve the conditions of `starts` only; the form of the others keeps planners off them. */
export const matching =
  (dialect: Dialect, filter: LinkFilter, starts: readonly Start[] = []) =>
  (eb: Links): Expression<SqlBool> => {
    const { createdAfter, createdBefore, domain, ownerId, state, asOf, tags, search } = filter;
    const number = (column: "created_at" | "owner_id" | "expires_at", start: Start) =>
      starts.includes(start) ? eb.ref(`links.${column}`) : eb.fn.coalesce(`links.${column}`, eb.lit(NONE));
    const created = number("created_at", "created");
    const conditions: Expression<SqlBool>[] = [];
    for (const start of starts) {
      if (typeof start === "object") conditions.push(eb("links.id", "in", start.ids));
    }
    if (createdAfter !== null) conditions.push(eb(created, ">=", createdAfter));
    if (createdBefore !== null) conditions.push(eb(created, "<=", createdBefore));
    if (domain !== null) {
      const { from, to } = keysOf(domain);
      const code = starts.includes("domain")
        ? eb.ref("links.code")
        : eb.fn.coalesce("links.code", eb.val(""));
      if (from !== "") conditions.push(eb(code, ">=", from));
      conditions.push(eb(code, "<", to));
    }
    if (ownerId !== null) conditions.push(eb(number("owner_id", "owner"), "=", ownerId));
    if (state === "expired") {
      const expiry = starts.includes("expired")
        ? eb.ref("links.expires_at")
        : eb.fn.coalesce("links.expires_at", eb.lit(Number.MAX_SAFE_INTEGER));
      conditions.push(eb(expiry, "<=", asOf));
    }
    if (state === "active") {
      conditions.push(eb.or([eb("links.expires_at", "is", null), eb("links.expires_at", ">", asOf)]));
    }
    for (const [at, tag] of tags.entries()) {
      const tagged = eb
        .selectFrom("link_tags")
        .where("link_tags.tag_id", "=", (id) =>
          id.selectFrom("tags").select("tags.id").where("tags.tag", "=", tag),
        );
      // A server may turn `exists` into a join that starts with the tag.
      const link = tagged.whereRef("link_tags.link_id", "=", "links.id").select(eb.lit(1).as("found"));
      const isStart = at === 0 && starts.includes("tag");
      conditions.push(isStart ? eb("links.id", "in", tagged.select("link_tags.link_id")) : eb(link, "=", 1));
    }
    // Last: it costs most.
    if (search !== null) {
      conditions.push(dialect.linkContains(search, { usesIndex: starts.includes("search") }));
    }
    return eb.and(conditions);
  };
