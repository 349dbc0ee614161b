/** Version 1.0: webhooks and their deliveries. */
import { WEBHOOK_TABLES } from "../webhook-tables.ts";
import { createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  createTable("1066_webhooks", "webhooks", WEBHOOK_TABLES.webhooks, []),
  createTable("1067_webhook_deliveries", "webhook_deliveries", WEBHOOK_TABLES.webhook_deliveries, [
    "constraint webhook_deliveries_event unique (webhook_id, event_id)",
    "index webhook_deliveries_due (webhook_id, state, due_at, id)",
    "index webhook_deliveries_newest (webhook_id, id)",
    "index webhook_deliveries_created (created_at, id)",
  ]),
];
