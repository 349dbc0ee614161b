/** Version 1.0: visitors, and codes that lead nowhere. */
import { CLICK_TABLES } from "../click-tables.ts";
import { createCounterTable, createPartitionedTable, createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  createPartitionedTable("1084_click_visitors", "click_visitors", CLICK_TABLES.click_visitors, [
    "primary key (day, link_id, visitor)",
  ]),
  createPartitionedTable("1085_visitor_days", "visitor_days", CLICK_TABLES.visitor_days, [
    "primary key (day, link_id)",
  ]),
  createTable("1086_visitor_salts", "visitor_salts", CLICK_TABLES.visitor_salts, ["primary key (day)"]),
  createCounterTable("1087_missing_codes", "missing_codes", CLICK_TABLES.missing_codes, [
    "primary key (day, code)",
  ]),
];
