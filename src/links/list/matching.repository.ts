import { type Expression, type ExpressionBuilder, expressionBuilder, sql, type SqlBool } from "kysely";
import type { Dialect } from "../../platform/db/dialect.ts";
import type { Schema } from "../../platform/db/schema.ts";
import { anyLike, lowerPatterns } from "../../platform/db/text-search.ts";
import { NOBODY } from "../../lib/owner.ts";
import { keysOf } from "../link/key.ts";
import type { LinkFilter } from "./filter.ts";
import type { Start } from "./plan.ts";

type Links = ExpressionBuilder<Schema, "links">;

const builder = expressionBuilder<Schema, "links" | "link_clicks">();

const idOf = (tag: string) => builder.selectFrom("tags").select("tags.id").where("tags.tag", "=", tag);

/** The ids of links with the first tag that have the others, which test narrow rows. */
export const idsWith = ([first, ...others]: readonly string[]) =>
  builder
    .selectFrom("link_tags as started")
    .where("started.tag_id", "=", idOf(first!))
    .where((eb) => eb.and(others.map((tag) => hasTag(tag, "started.link_id"))))
    .select("started.link_id as id");

/** Tests rows, in the form that `matching` describes. */
export function hasTag(
  tag: string,
  id: "links.id" | "link_clicks.link_id" | "started.link_id",
): Expression<SqlBool> {
  // A server may turn `exists` into a join that starts with the tag.
  const link = builder
    .selectFrom("link_tags")
    .where("link_tags.tag_id", "=", idOf(tag))
    .whereRef("link_tags.link_id", "=", id as "links.id")
    .select(builder.lit(1).as("found"));
  return builder.fn.coalesce(builder(link, "=", 1), builder.lit(false));
}

const isOfImport = (id: number): Expression<SqlBool> => {
  const link = builder
    .selectFrom("import_links")
    .where("import_id", "=", id)
    .where("removed", "=", 0)
    .whereRef("import_links.link_id", "=", "links.id")
    .select(builder.lit(1).as("found"))
    .limit(1);
  return builder.fn.coalesce(builder(link, "=", 1), builder.lit(false));
};

/** Ignores case as a search does. */
const targetContains = (text: string): Expression<SqlBool> =>
  anyLike([sql`lower(links.target)`], lowerPatterns(text));

/**
 * Indexes serve the conditions of `starts` only. The others have a form that keeps planners off indexes, and of which
 * they take half of the links to fulfil it: one that expected few would sort instead of following an order.
 */
export const matching =
  (dialect: Dialect, filter: LinkFilter, starts: readonly Start[] = []) =>
  (eb: Links): Expression<SqlBool> => {
    const { createdAfter, createdBefore, domain, owners, state, asOf, tags, search, held, dead } = filter;
    const conditions: Expression<SqlBool>[] = [];
    const demand = (condition: Expression<SqlBool>, isStart: boolean) =>
      void conditions.push(isStart ? condition : eb.fn.coalesce(condition, eb.lit(false)));
    for (const start of starts) {
      if (typeof start === "object") demand(eb("links.id", "in", start.ids), true);
    }
    const isCreated = starts.includes("created");
    if (createdAfter !== null) demand(eb("links.created_at", ">=", createdAfter), isCreated);
    if (createdBefore !== null) demand(eb("links.created_at", "<=", createdBefore), isCreated);
    if (domain !== null) {
      const { from, to } = keysOf(domain);
      const isDomain = starts.includes("domain");
      if (from !== "") demand(eb("links.code", ">=", from), isDomain);
      demand(eb("links.code", "<", to), isDomain);
    }
    if (owners?.length === 1) demand(eb("links.owner_id", "=", owners[0]!), starts.includes("owner"));
    else if (owners !== null) demand(eb("links.owner_id", "in", owners), starts.includes("owners"));
    if (state === "expired") demand(eb("links.expires_at", "<=", asOf), starts.includes("expired"));
    if (state === "active") {
      demand(eb.or([eb("links.expires_at", "is", null), eb("links.expires_at", ">", asOf)]), true);
    }
    if (held !== null) demand(eb("links.held", "=", held), starts.includes("held"));
    if (dead) demand(eb("links.dead_since", ">", 0), starts.includes("dead"));
    if (starts.includes("tag")) demand(eb("links.id", "in", idsWith(tags)), true);
    else conditions.push(...tags.map((tag) => hasTag(tag, "links.id")));
    conditions.push(...filter.notTags.map((tag) => eb.not(hasTag(tag, "links.id"))));
    if (filter.notOwner !== null) {
      conditions.push(eb(eb.fn.coalesce("links.owner_id", eb.lit(NOBODY)), "!=", filter.notOwner));
    }
    if (filter.importId !== null) conditions.push(isOfImport(filter.importId));
    if (filter.target !== null) conditions.push(targetContains(filter.target));
    if (filter.notTarget !== null) conditions.push(eb.not(targetContains(filter.notTarget)));
    // Last: it costs most.
    if (search !== null) {
      conditions.push(dialect.linkContains(search, { usesIndex: starts.includes("search") }));
    }
    return eb.and(conditions);
  };
