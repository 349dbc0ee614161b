import type { Registry } from "../../lib/metrics.ts";

const OUTCOMES = ["delivered", "delayed", "failed"] as const;

/** By this process. */
export function createWebhookCounter(registry: Registry): (outcome: (typeof OUTCOMES)[number]) => void {
  const attempts = registry.counter({
    name: "svc_webhook_attempts_total",
    help: "Attempts to deliver an event to a webhook, by outcome.",
    labels: ["status"],
  });
  // Alerts compare with 0, so that each series is there from the start.
  for (const outcome of OUTCOMES) attempts.series(outcome);
  return (status) => attempts.series(status).add();
}
