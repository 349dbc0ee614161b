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
import type { COLUMN_OF, ColumnDimension } from "../rollups/dimensions.ts";

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

/** Tests `link_id`. */
export const isAmong =
  (links: LinkSet) =>
  (eb: ExpressionBuilder<Schema, Counted>): Expression<SqlBool> => {
    if ("query" in links) return links.has("link_id");
    const [id, ...others] = links.ids;
    if (id === undefined) return sql<boolean>`1 = 0`;
    return others.length === 0 ? eb("link_id", "=", id) : eb("link_id", "in", links.ids);
  };

/** Rows of sums: those of all links together, or one for each link. */
export const isSummed =
  (links: LinkSet | null) =>
  (eb: ExpressionBuilder<Schema, Counted>): Expression<SqlBool> =>
    links === null ? eb("link_id", "=", TOTAL) : isAmong(links)(eb);

/** Rows of the sums of links in these buckets. */
export const sumRows = (read: Db, unit: SumUnit, buckets: readonly number[]) =>
  read.selectFrom(`click_${unit}s` as "click_hours").where(unit as "hour", "in", buckets);

export function rawRows(read: Db, { links, details }: SelectedClicks, { from, to }: Span) {
  return read
    .selectFrom("click_log")
    .where("clicked_at", ">=", from)
    .where("clicked_at", "<", to)
    .$if(links !== null, (query) => query.where(isAmong(links!) as never))
    .$if(details !== null, (query) =>
      query.where((eb) => {
        const { texts, agents } = details!;
        const conditions = texts.map(([column, text]) => eb(column, "=", text));
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
    text: string,
  ])[];
  /** Ids of values; null: any. */
  agents: readonly number[] | null;
};

export const EVERY_CLICK: SelectedClicks = { links: null, details: null };
