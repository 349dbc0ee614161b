/** Conditions for what follows a place. The first comparison is a bound in the order's index. */
import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import type { Schema } from "../../platform/db/schema.ts";
import type { LinkOrder } from "./order.ts";
import type { ListPlace } from "./place.ts";

type Links = ExpressionBuilder<Schema, "links">;
type Clicks = ExpressionBuilder<Schema, "link_clicks">;
type Condition<E> = (eb: E) => Expression<SqlBool>;

/** Stands for no expiry and sorts after all others. */
export const NEVER = Number.MAX_SAFE_INTEGER;

/** In an order by code or creation. */
export const following =
  ({ sort, descending }: LinkOrder, { value, tie }: ListPlace): Condition<Links> =>
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
export const followingExpiry =
  (
    { descending }: LinkOrder,
    { value, tie }: ListPlace,
    among: "dated" | "dateless" | "all",
  ): Condition<Links> =>
  (eb) => {
    const [beyond, notBefore] = descending ? (["<", "<="] as const) : ([">", ">="] as const);
    const id = eb("links.id", beyond, Number(tie));
    if (among === "dateless") return id;
    const expiry =
      among === "dated" ? eb.ref("links.expires_at") : eb.fn.coalesce("links.expires_at", eb.lit(NEVER));
    const bound = value ?? NEVER;
    return eb.and([eb(expiry, notBefore, bound), eb.or([eb(expiry, beyond, bound), id])]);
  };

export const followingClicks =
  ({ descending }: LinkOrder, { value, tie }: ListPlace, column: "ranked" | "clicks"): Condition<Clicks> =>
  (eb) => {
    const [beyond, notBefore] = descending ? (["<", "<="] as const) : ([">", ">="] as const);
    const counted = eb.ref(`link_clicks.${column}`);
    // Counts may come from an outer join, which must stay one.
    const clicks = column === "ranked" ? counted : eb.fn.coalesce(counted, eb.lit(0));
    return eb.and([
      eb(clicks, notBefore, value),
      eb.or([eb(clicks, beyond, value), eb("link_clicks.link_id", beyond, Number(tie))]),
    ]);
  };

/**
 * What follows a place in an order by creation or expiry (of links that have one), as two ranges of the index: links of
 * the same instant, then the others. Any number may share an instant, and one condition would read all of them.
 */
export function rangesAfter({ sort, descending }: LinkOrder, { value, tie }: ListPlace): Condition<Links>[] {
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
