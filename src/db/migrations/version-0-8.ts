/** Version 0.8: campaigns, referring hosts, languages, channels and rules of clicks. */
import { sql } from "kysely";
import { addColumn, createIndex, type Step } from "./step.ts";

const clickText = (number: string, column: string, length: number): Step =>
  addColumn(`${number}_click_log_${column}`, "click_log", column, (w) => w.text(length));

export const steps: readonly Step[] = [
  clickText("0145", "referrer_host", 255),
  clickText("0146", "utm_source", 255),
  clickText("0147", "utm_medium", 255),
  clickText("0148", "utm_campaign", 255),
  clickText("0149", "utm_term", 255),
  clickText("0150", "utm_content", 255),
  clickText("0151", "language", 35),
  clickText("0152", "channel", 16),
  clickText("0153", "rule", 3),
  addColumn(
    "0154_instance_dimensions_from",
    "instance",
    "dimensions_from",
    (w) => `${w.int} not null default 0`,
  ),
  {
    name: "0155_instance_dimensions_from_now",
    up: async (db) =>
      void (await sql`
        update instance set dimensions_from = ${Date.now()}
        where dimensions_from = 0 and exists (select 1 from click_dim_months)`.execute(db)),
  },
  createIndex("0156_deleted_links_code", "deleted_links", "deleted_links_code", "code"),
];
