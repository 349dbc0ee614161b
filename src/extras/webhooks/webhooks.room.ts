/** Webhooks: signed requests that notify programs of events. */
import type { Core } from "../../platform/core.ts";
import type { Platform, Room } from "../../platform/room-shape.ts";
import { WEBHOOK_SETTINGS } from "./webhook-settings.ts";
import type { Registry } from "../../lib/metrics.ts";

export const webhooksRoom = {
  name: "webhooks",
  commands: { webhooks: "requests that notify programs of events" },
  setUpCommands: ["webhooks add"],
  settings: [WEBHOOK_SETTINGS],
  loadCommands: async () => (await import("./webhooks.commands.ts")).addWebhookCommands,
  async start(core: Core, { env, box, instance, registry, events, step }: Platform) {
    const { sectionOf } = await import("../../platform/settings/env-settings.ts");
    const { codeOf } = await import("../../links/link/key.ts");
    const { eventView } = await import("../../platform/events/event.ts");
    const { webhookBodies } = await import("./webhook-events.ts");
    const { webhookEndpoints } = await import("./webhooks.routes.ts");
    const { createWebhooks } = await import("./webhooks.service.ts");
    const webhooks = createWebhooks({
      ...core,
      box,
      instance,
      allowPrivate: sectionOf(env, WEBHOOK_SETTINGS).allowPrivate,
      codeOf,
      count: createWebhookCounter(registry),
    });
    events.markPending(webhooks.isAwaited);
    await step(webhooks.load);
    return {
      offers: { webhooks },
      endpoints: { api: webhookEndpoints({ webhooks, now: core.clock.now }) },
      requests: webhookBodies(eventView),
      jobs: [{ ...webhooks.job, soonAfter: "webhooks" as const }],
      close: webhooks.close,
    };
  },
} satisfies Room;

const OUTCOMES = ["delivered", "delayed", "failed"] as const;

/** Counts the attempts of this process. */
function createWebhookCounter(registry: Registry): (outcome: (typeof OUTCOMES)[number]) => void {
  const attempts = registry.counter({
    name: "svc_webhook_attempts_total",
    help: "Attempts to deliver an event to a webhook, by outcome.",
    labels: ["status"],
  });
  // Alerts compare with 0, so that each series is there from the start.
  for (const outcome of OUTCOMES) attempts.series(outcome);
  return (status) => attempts.series(status).add();
}
