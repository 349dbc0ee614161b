import { sql } from "kysely";
import { addColumn, createIndex, createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  createTable("0057_deleted_links", "deleted_links", (w) => [
    `link_id ${w.int} not null primary key`,
    `code ${w.text(128)} not null`,
    `deleted_at ${w.int} not null`,
  ]),
  addColumn("0058_link_clicks_ranked", "link_clicks", "ranked", (w) => `${w.int} not null default 0`),
  {
    name: "0059_link_clicks_rank",
    up: async (db) => void (await sql`update link_clicks set ranked = clicks`.execute(db)),
  },
  createIndex("0060_link_clicks_by_rank", "link_clicks", "link_clicks_ranked", "ranked, link_id"),
  createTable("0061_staged_counts", "staged_counts", (w) => [
    `policy_id ${w.int} not null primary key`,
    `objects ${w.int} not null`,
    `bytes ${w.int} not null`,
    `abandoned_objects ${w.int} not null`,
    `abandoned_bytes ${w.int} not null`,
    `counted_at ${w.int} not null`,
    "constraint staged_counts_policy foreign key (policy_id) references policies (id) on delete cascade",
  ]),
];
