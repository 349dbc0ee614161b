/** Version 1.0: sums of sets of links. */
import { CLICK_TABLES } from "../click-tables.ts";
import { createCounterTable, createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
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
