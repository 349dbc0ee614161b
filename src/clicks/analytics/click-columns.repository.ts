/** All clicks and automated ones, as columns of queries. */
import { type ExpressionBuilder, type RawBuilder, sql } from "kysely";
import type { Schema } from "../../db/schema.ts";
import type { Visitors } from "../../lib/visitors.ts";

/** For a row with the columns `clicks` and `automated`. */
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
