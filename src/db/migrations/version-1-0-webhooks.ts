/** Version 1.0: webhooks and their deliveries. */
import { createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  createTable("1066_webhooks", "webhooks", (w) => [
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
  createTable("1067_webhook_deliveries", "webhook_deliveries", (w) => [
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
    "index webhook_deliveries_due (webhook_id, state, due_at, id)",
    "index webhook_deliveries_newest (webhook_id, id)",
    "index webhook_deliveries_created (created_at, id)",
  ]),
];
