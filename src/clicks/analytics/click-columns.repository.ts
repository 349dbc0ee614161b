/** All clicks and automated ones, as columns of queries, and the rows of selected clicks. */
import { type Expression, type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from "kysely";
import type { Db } from "../../platform/db/dialect.ts";
import type { Schema } from "../../platform/db/schema.ts";
import type { LinkSet } from "../../links/list/link-set.repository.ts";
import type { Visitors } from "../../lib/visitors.ts";
import type { Calendar } from "../rollups/calendar.ts";
import { TOTAL } from "../rollups/sums.ts";
import type { Span } from "../rollups/time-buckets.ts";
import type { SumUnit } from "./range.ts";
import { type COLUMN_OF, type ColumnDimension, type Dimension, DIMENSIONS } from "../rollups/dimensions.ts";

/** The clicks of these visitors, in a row with the columns `clicks` and `automated`. */
export const clicksOf = (visitors: Visitors): RawBuilder<number> =>
  ({
    all: sql<number>`clicks`,
    human: sql<number>`clicks - automated`,
    automated: sql<number>`automated`,
  })[visitors];

export const rawSums = (eb: ExpressionBuilder<Schema, "click_log">) => [
  eb.fn.countAll<number>().as("clicks"),
  eb.fn.sum<number | null>("automated").as("automated"),
];

type Counted = "click_log" | "click_hours" | "click_days" | "click_months" | "click_dim_days";

/** Tests the column that has the link's id. */
export const isAmong =
  (links: LinkSet, column: "link_id" | "links.id" = "link_id") =>
  (eb: ExpressionBuilder<Schema, Counted>): Expression<SqlBool> => {
    if ("query" in links) return links.has(column);
    const [id, ...others] = links.ids;
    const tested = column as "link_id";
    if (id === undefined) return sql<boolean>`1 = 0`;
    return others.length === 0 ? eb(tested, "=", id) : eb(tested, "in", links.ids);
  };

/** Rows of sums: those of all links together, or one for each link. */
export const isSummed =
  (links: LinkSet | null) =>
  (eb: ExpressionBuilder<Schema, Counted>): Expression<SqlBool> =>
    links === null ? eb("link_id", "=", TOTAL) : isAmong(links)(eb);

/** Of what there are sums: clicks, visitors by day, or clicks with one of some values by day, of campaigns by month. */
export type Summed = "clicks" | "visitors" | SummedValues;
/** Ids of values of one dimension. */
export type SummedValues = { dimension: Dimension; ids: readonly number[] };

/** Rows of the sums of links in these buckets; visitors stand in the columns of clicks. */
export function sumRows(read: Db, unit: SumUnit, buckets: readonly number[], of: Summed = "clicks") {
  const among = (table: object) =>
    (table as ReturnType<typeof clicksBy>).where(unit as "hour", "in", buckets);
  const clicksBy = (table: SumUnit) => read.selectFrom(`click_${table}s` as "click_hours");
  if (of === "clicks") return among(clicksBy(unit));
  if (of !== "visitors")
    return among(
      read
        .selectFrom(`click_dim_${unit === "month" ? unit : "day"}s` as "click_dim_days")
        .where("dimension", "=", DIMENSIONS[of.dimension])
        .where("value_id", "in", [...of.ids, NO_ID]),
    );
  const days = read
    .selectFrom("visitor_days")
    .select(["day", "link_id", "visitors as clicks", "automated"])
    .where("day", "in", buckets);
  return among(read.selectFrom(days.as("of_days")));
}

/** A list of ids must not be empty. */
const NO_ID = -1;

/** What counts the clicks of a selection by day. */
export const summedOf = ({ details }: Pick<SelectedClicks, "details">): Summed => details?.sums ?? "clicks";

export function rawRows(read: Db, { links, details }: SelectedClicks, { from, to }: Span) {
  return read
    .selectFrom("click_log")
    .where("clicked_at", ">=", from)
    .where("clicked_at", "<", to)
    .$if(links !== null, (query) => query.where(isAmong(links!) as never))
    .$if(details !== null, (query) =>
      query.where((eb) => {
        const { texts, agents } = details!;
        const conditions = texts.map(([column, text]) =>
          typeof text === "string" ? eb(column, "=", text) : eb(column, "in", [...text, ""]),
        );
        if (agents === null) return eb.and(conditions);
        const own = read.selectFrom("user_agents").select("id").where("value_id", "in", agents);
        const isOwn = agents.length === 0 ? sql<boolean>`1 = 0` : eb("user_agent_id", "in", own);
        return eb.and([...conditions, isOwn]);
      }),
    );
}

/** Whose clicks a report counts, and which of them. */
export type Selection = {
  /** The links, or null for all of them, deleted ones too. */
  links: LinkSet | null;
  /** Conditions on details, by which clicks are counted in click_log; null for any click. */
  details: DetailConditions | null;
  visitors: Visitors;
  /** That of the sums. */
  calendar: Calendar;
};

export type SelectedClicks = Pick<Selection, "links" | "details">;

/** All must hold. */
export type DetailConditions = {
  /** Columns of click_log. */
  texts: readonly (readonly [
    column: "country" | "city" | (typeof COLUMN_OF)[ColumnDimension],
    /** One of several. */
    text: string | readonly string[],
  ])[];
  /** Ids of values; null: any. */
  agents: readonly number[] | null;
  /** What sums have the same by day; null: none. */
  sums: SummedValues | null;
};

export const EVERY_CLICK: SelectedClicks = { links: null, details: null };
