/**
 * The counters' keys begin with the time, because flushes write the current hour, day and month, and retention removes
 * the oldest. Reading one link is one lookup a day. Other indexes and foreign keys would cost at every click, so
 * retention removes rows of deleted links.
 */
import { createCounterTable, createIndex, createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  createCounterTable("0020_click_hours", "click_hours", (w) => [
    `hour ${w.int} not null`,
    `link_id ${w.int} not null`,
    `clicks ${w.int} not null`,
    "primary key (hour, link_id)",
  ]),
  createCounterTable("0021_click_days", "click_days", (w) => [
    `day ${w.int} not null`,
    `link_id ${w.int} not null`,
    `clicks ${w.int} not null`,
    "primary key (day, link_id)",
  ]),
  createCounterTable("0022_click_months", "click_months", (w) => [
    `month ${w.int} not null`,
    `link_id ${w.int} not null`,
    `clicks ${w.int} not null`,
    "primary key (month, link_id)",
  ]),

  createTable("0023_click_values", "click_values", (w) => [
    `id ${w.serial}`,
    `dimension ${w.int} not null`,
    `value ${w.text(255)} not null`,
    `seen_day ${w.int} not null`,
    "constraint click_values_value unique (dimension, value)",
  ]),
  createCounterTable("0024_click_dim_hours", "click_dim_hours", (w) => [
    `hour ${w.int} not null`,
    `dimension ${w.int} not null`,
    `value_id ${w.int} not null`,
    `clicks ${w.int} not null`,
    "primary key (hour, dimension, value_id)",
  ]),
  createCounterTable("0025_click_dim_days", "click_dim_days", (w) => [
    `day ${w.int} not null`,
    `link_id ${w.int} not null`,
    `dimension ${w.int} not null`,
    `value_id ${w.int} not null`,
    `clicks ${w.int} not null`,
    "primary key (day, link_id, dimension, value_id)",
  ]),
  createCounterTable("0026_click_dim_months", "click_dim_months", (w) => [
    `month ${w.int} not null`,
    `dimension ${w.int} not null`,
    `value_id ${w.int} not null`,
    `clicks ${w.int} not null`,
    "primary key (month, dimension, value_id)",
  ]),

  createTable("0027_user_agents", "user_agents", (w) => [
    `id ${w.serial}`,
    `hash ${w.text(32)} not null`,
    `text ${w.text(1024)} not null`,
    `value_id ${w.int} not null`,
    `seen_day ${w.int} not null`,
    "constraint user_agents_hash unique (hash)",
  ]),
  createTable("0028_click_log", "click_log", (w) => [
    `id ${w.serial}`,
    `link_id ${w.int} not null`,
    `clicked_at ${w.int} not null`,
    `referrer ${w.text(2048)}`,
    `source ${w.text(255)} not null`,
    `ip_address ${w.text(45)}`,
    `country ${w.text(2)}`,
    `city ${w.text(200)}`,
    `user_agent_id ${w.int}`,
  ]),
  createIndex("0029_click_log_clicked_at", "click_log", "click_log_clicked_at", "clicked_at, link_id"),
];
