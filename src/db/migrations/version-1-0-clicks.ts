/**
 * Version 1.0: clicks. The counters' keys begin with the time, because flushes write the current hour, day and month, and
 * retention removes the oldest. Reading one link is one lookup a day. Other indexes and foreign keys would cost at every
 * click, so retention removes rows of deleted links.
 */
import { createCounterTable, createPartitionedTable, createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  createTable("1017_journals", "journals", (w) => [
    `id ${w.text(36)} not null primary key`,
    `position ${w.int} not null`,
    `updated_at ${w.int} not null`,
  ]),
  createPartitionedTable("1018_click_hours", "click_hours", (w) => [
    `hour ${w.int} not null`,
    `link_id ${w.int} not null`,
    `clicks ${w.int} not null`,
    `automated ${w.int} not null default 0`,
    "primary key (hour, link_id)",
  ]),
  createPartitionedTable("1019_click_days", "click_days", (w) => [
    `day ${w.int} not null`,
    `link_id ${w.int} not null`,
    `clicks ${w.int} not null`,
    `automated ${w.int} not null default 0`,
    "primary key (day, link_id)",
  ]),
  createCounterTable("1020_click_months", "click_months", (w) => [
    `month ${w.int} not null`,
    `link_id ${w.int} not null`,
    `clicks ${w.int} not null`,
    `automated ${w.int} not null default 0`,
    "primary key (month, link_id)",
  ]),
  createTable("1021_click_values", "click_values", (w) => [
    `id ${w.serial}`,
    `dimension ${w.int} not null`,
    `value ${w.text(255)} not null`,
    `seen_day ${w.int} not null`,
    "constraint click_values_value unique (dimension, value)",
  ]),
  createPartitionedTable("1022_click_dim_hours", "click_dim_hours", (w) => [
    `hour ${w.int} not null`,
    `dimension ${w.int} not null`,
    `value_id ${w.int} not null`,
    `clicks ${w.int} not null`,
    `automated ${w.int} not null default 0`,
    "primary key (hour, dimension, value_id)",
  ]),
  createPartitionedTable("1023_click_dim_days", "click_dim_days", (w) => [
    `day ${w.int} not null`,
    `link_id ${w.int} not null`,
    `dimension ${w.int} not null`,
    `value_id ${w.int} not null`,
    `clicks ${w.int} not null`,
    `automated ${w.int} not null default 0`,
    "primary key (day, link_id, dimension, value_id)",
  ]),
  createCounterTable("1024_click_dim_months", "click_dim_months", (w) => [
    `month ${w.int} not null`,
    `dimension ${w.int} not null`,
    `value_id ${w.int} not null`,
    `clicks ${w.int} not null`,
    `automated ${w.int} not null default 0`,
    "primary key (month, dimension, value_id)",
  ]),
  createTable("1025_user_agents", "user_agents", (w) => [
    `id ${w.serial}`,
    `hash ${w.text(32)} not null`,
    `text ${w.text(1024)} not null`,
    `value_id ${w.int} not null`,
    `seen_day ${w.int} not null`,
    "constraint user_agents_hash unique (hash)",
  ]),
  createPartitionedTable("1026_click_log", "click_log", (w) => [
    ...w.partitionedSerial("clicked_at"),
    `link_id ${w.int} not null`,
    `clicked_at ${w.int} not null`,
    `referrer ${w.text(2048)}`,
    `source ${w.text(255)} not null`,
    `ip_address ${w.text(45)}`,
    `country ${w.text(2)}`,
    `city ${w.text(200)}`,
    `user_agent_id ${w.int}`,
    `automated ${w.int} not null default 0`,
    `referrer_host ${w.text(255)}`,
    `utm_source ${w.text(255)}`,
    `utm_medium ${w.text(255)}`,
    `utm_campaign ${w.text(255)}`,
    `utm_term ${w.text(255)}`,
    `utm_content ${w.text(255)}`,
    `language ${w.text(35)}`,
    `channel ${w.text(16)}`,
    `rule ${w.text(3)}`,
    "index click_log_clicked_at (clicked_at, link_id)",
  ]),
  createCounterTable("1027_detail_drops", "detail_drops", (w) => [
    `day ${w.int} not null`,
    `reason ${w.text(16)} not null`,
    `clicks ${w.int} not null`,
    "primary key (day, reason)",
  ]),
];
