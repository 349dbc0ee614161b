/**
 * Version 1.0: clicks. The counters' keys begin with the time, because flushes write the current hour, day and month, and
 * retention removes the oldest. Reading one link is one lookup a day. Other indexes and foreign keys would cost at every
 * click, so retention removes rows of deleted links.
 */
import { CLICK_TABLES } from "../click-tables.ts";
import { createCounterTable, createPartitionedTable, createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  createTable("1017_journals", "journals", CLICK_TABLES.journals, ["primary key (id)"]),
  createPartitionedTable("1018_click_hours", "click_hours", CLICK_TABLES.click_hours, [
    "primary key (hour, link_id)",
  ]),
  createPartitionedTable("1019_click_days", "click_days", CLICK_TABLES.click_days, [
    "primary key (day, link_id)",
  ]),
  createCounterTable("1020_click_months", "click_months", CLICK_TABLES.click_months, [
    "primary key (month, link_id)",
  ]),
  createTable("1021_click_values", "click_values", CLICK_TABLES.click_values, [
    "constraint click_values_value unique (dimension, value)",
  ]),
  createPartitionedTable("1022_click_dim_hours", "click_dim_hours", CLICK_TABLES.click_dim_hours, [
    "primary key (hour, dimension, value_id)",
  ]),
  createPartitionedTable("1023_click_dim_days", "click_dim_days", CLICK_TABLES.click_dim_days, [
    "primary key (day, link_id, dimension, value_id)",
  ]),
  createCounterTable("1024_click_dim_months", "click_dim_months", CLICK_TABLES.click_dim_months, [
    "primary key (month, link_id, dimension, value_id)",
  ]),
  createTable("1025_user_agents", "user_agents", CLICK_TABLES.user_agents, [
    "constraint user_agents_hash unique (hash)",
  ]),
  createPartitionedTable("1026_click_log", "click_log", CLICK_TABLES.click_log, [
    "index click_log_clicked_at (clicked_at, link_id)",
  ]),
  createCounterTable("1027_detail_drops", "detail_drops", CLICK_TABLES.detail_drops, [
    "primary key (day, reason)",
  ]),
];
