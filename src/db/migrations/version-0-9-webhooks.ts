/** Version 0.9: webhooks, their deliveries, and events that wait for them. */
import { addColumn, createIndex, createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  createTable("0250_webhooks", "webhooks", (w) => [
    `id ${w.serial}`,
    `url ${w.text(2000)} not null`,
    `events ${w.text(1000)} not null`,
    `secret ${w.text(300)} not null`,
    `previous_secret ${w.text(300)}`,
    `previous_until ${w.int}`,
    `disabled_because ${w.text(16)}`,
    `failing_since ${w.int}`,
    `paused_until ${w.int}`,
    `replay_after ${w.int}`,
    `replay_to ${w.int}`,
    `created_at ${w.int} not null`,
    `updated_at ${w.int} not null`,
  ]),
  createTable("0251_webhook_deliveries", "webhook_deliveries", (w) => [
    `id ${w.serial}`,
    `webhook_id ${w.int} not null`,
    `event_id ${w.int}`,
    `event ${w.text(32)} not null`,
    `state ${w.text(16)} not null`,
    `due_at ${w.int} not null`,
    `attempts ${w.int} not null`,
    `tried_at ${w.int}`,
    `tries ${w.longText} not null`,
    `created_at ${w.int} not null`,
    `delivered_at ${w.int}`,
    "constraint webhook_deliveries_event unique (webhook_id, event_id)",
  ]),
  createIndex(
    "0252_webhook_deliveries_due",
    "webhook_deliveries",
    "webhook_deliveries_due",
    "webhook_id, state, due_at, id",
  ),
  createIndex(
    "0253_webhook_deliveries_newest",
    "webhook_deliveries",
    "webhook_deliveries_newest",
    "webhook_id, id",
  ),
  createIndex(
    "0254_webhook_deliveries_created",
    "webhook_deliveries",
    "webhook_deliveries_created",
    "created_at, id",
  ),
  addColumn("0255_events_untold", "events", "untold", (w) => w.int),
  createIndex("0256_events_untold_index", "events", "events_untold", "untold, id"),
];
