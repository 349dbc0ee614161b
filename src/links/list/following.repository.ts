/**
 * Conditions for what follows a place, and with `inclusive` for the place itself. The first comparison is a bound in
 * the order's index.
 */
import type { Expression, ExpressionBuilder, SelectQueryBuilder, SqlBool } from "kysely";
import type { Schema } from "../../db/schema.ts";
import type { LinkOrder } from "./order.ts";
import type { ListPlace } from "./place.ts";

type Links = ExpressionBuilder<Schema, "links">;
type Clicks = ExpressionBuilder<Schema, "link_clicks">;
type Condition<E> = (eb: E) => Expression<SqlBool>;

/** Stands for no expiry and sorts after all others. */
export const NEVER = Number.MAX_SAFE_INTEGER;

/** In an order by code or creation. */
export const following =
  ({ sort, descending }: LinkOrder, { value, tie }: ListPlace, inclusive = false): Condition<Links> =>
  (eb) => {
    const code = String(tie);
    const [below, above] = inclusive ? (["<=", ">="] as const) : (["<", ">"] as const);
    if (sort === "code") return eb("links.code", descending ? below : above, code);
    const created = eb.ref("links.created_at");
    return eb.and([
      eb(created, descending ? "<=" : ">=", value),
      eb.or([eb(created, descending ? "<" : ">", value), eb("links.code", descending ? above : below, code)]),
    ]);
  };

/** Among links with an expiry, without one, or all together. */
export const followingExpiry =
  (
    { descending }: LinkOrder,
    { value, tie }: ListPlace,
    among: "dated" | "dateless" | "all",
    inclusive = false,
  ): Condition<Links> =>
  (eb) => {
    const [beyond, notBefore] = descending ? (["<", "<="] as const) : ([">", ">="] as const);
    const id = eb("links.id", inclusive ? notBefore : beyond, Number(tie));
    if (among === "dateless") return id;
    const expiry =
      among === "dated" ? eb.ref("links.expires_at") : eb.fn.coalesce("links.expires_at", eb.lit(NEVER));
    const bound = value ?? NEVER;
    return eb.and([eb(expiry, notBefore, bound), eb.or([eb(expiry, beyond, bound), id])]);
  };

export const followingClicks =
  (
    { descending }: LinkOrder,
    { value, tie }: ListPlace,
    column: "ranked" | "clicks",
    inclusive = false,
  ): Condition<Clicks> =>
  (eb) => {
    const [beyond, notBefore] = descending ? (["<", "<="] as const) : ([">", ">="] as const);
    const clicks = eb.ref(`link_clicks.${column}`);
    return eb.and([
      eb(clicks, notBefore, value),
      eb.or([
        eb(clicks, beyond, value),
        eb("link_clicks.link_id", inclusive ? notBefore : beyond, Number(tie)),
      ]),
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

/** Ascending, (from, to] as ranges of the index, like `rangesAfter`; `to` null: to the end. */
export function rangesBetween(
  sort: "created_at" | "expires_at",
  from: ListPlace | null,
  to: ListPlace | null,
): Condition<Links>[] {
  const column = sort === "created_at" ? ("links.created_at" as const) : ("links.expires_at" as const);
  const upTo: Condition<Links> = (eb) =>
    sort === "created_at" ? eb("links.code", ">=", String(to!.tie)) : eb("links.id", "<=", Number(to!.tie));
  const [same, later] = from === null ? [null, () => null] : rangesAfter({ sort, descending: false }, from);
  const both = (eb: Links, ...conditions: (Condition<Links> | null | undefined)[]) =>
    eb.and(conditions.flatMap((condition) => (condition ? [condition(eb)] : [])));
  if (from !== null && to !== null && from.value === to.value) return [(eb) => both(eb, same, upTo)];
  const before: Condition<Links> = (eb) => eb(column, "<", to!.value);
  const last: Condition<Links> = (eb) => both(eb, (e) => e(column, "=", to!.value), upTo);
  return [
    ...(same === null ? [] : [same!]),
    (eb) => both(eb, from === null ? null : (later as Condition<Links>), to === null ? null : before),
    ...(to === null ? [] : [last]),
  ];
}

/** In any order, where both tables are read. */
export const followingLink =
  (order: LinkOrder, place: ListPlace): Condition<ExpressionBuilder<Schema, "links" | "link_clicks">> =>
  (eb) => {
    if (order.sort === "click_count") return followingClicks(order, place, "clicks")(eb as never);
    if (order.sort === "expires_at") return followingExpiry(order, place, "all")(eb as never);
    return following(order, place)(eb as never);
  };

type Ranks = SelectQueryBuilder<Schema, "link_clicks", object>;

/** (from, to] in ranges of the index: most links may have the same rank. */
export function rangesOfRanks(from: ListPlace | null, to: ListPlace | null): ((query: Ranks) => Ranks)[] {
  const [low, high] = [from?.value ?? -1, to?.value ?? null];
  const isOne = from !== null && low === high;
  const first = (query: Ranks) =>
    query
      .where("ranked", "=", low)
      .where("link_id", ">", Number(from!.tie))
      .$if(isOne, (one) => one.where("link_id", "<=", Number(to!.tie)));
  if (isOne) return [first];
  const between = (query: Ranks) =>
    query.where("ranked", ">", low).$if(high !== null, (one) => one.where("ranked", "<", high));
  const last = (query: Ranks) => query.where("ranked", "=", high).where("link_id", "<=", Number(to!.tie));
  return [...(from === null ? [] : [first]), between, ...(to === null ? [] : [last])];
}
