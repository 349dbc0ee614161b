/** Version 1.0: visitors, codes that lead nowhere, and sums of sets of links. */
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
  createCounterTable("1100_click_day_changes", "click_day_changes", CLICK_TABLES.click_day_changes, [
    "primary key (day)",
  ]),
  createTable("1101_click_sets", "click_sets", CLICK_TABLES.click_sets, [
    "constraint click_sets_links unique (links)",
  ]),
  createCounterTable("1102_click_set_days", "click_set_days", CLICK_TABLES.click_set_days, [
    "primary key (set_id, day)",
  ]),
  createCounterTable("1103_click_set_values", "click_set_values", CLICK_TABLES.click_set_values, [
    "primary key (set_id, dimension, day, value_id)",
  ]),
];
