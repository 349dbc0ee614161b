/** Webhooks on top of the events that they tell. */
import type { Env } from "../platform/settings/env.ts";
import type { createEvents } from "../platform/events/events.service.ts";
import type { Registry } from "../lib/metrics.ts";
import { codeOf } from "../links/link/key.ts";
import { createWebhookCounter } from "../extras/webhooks/webhook-metrics.ts";
import { createWebhooks } from "../extras/webhooks/webhooks.service.ts";

type WebhookDeps = Parameters<typeof createWebhooks>[0];
type OwnDeps = "record" | "allowPrivate" | "codeOf" | "count";
type Rooms = Omit<WebhookDeps, OwnDeps> & { events: ReturnType<typeof createEvents>; registry: Registry };

export function startWebhooks(env: Env, { events, registry, ...deps }: Rooms) {
  const webhooks = createWebhooks({
    ...deps,
    record: events.add,
    allowPrivate: env.webhooks.allowPrivate,
    codeOf,
    count: createWebhookCounter(registry),
  });
  events.markUntold(webhooks.isAwaited);
  return webhooks;
}
