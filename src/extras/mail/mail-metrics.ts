import type { Registry } from "../../lib/metrics.ts";

const OUTCOMES = ["sent", "delayed", "failed"] as const;

/** By this process. */
export function createMailCounter(registry: Registry): (status: (typeof OUTCOMES)[number]) => void {
  const mails = registry.counter({
    name: "svc_mails_total",
    help: "Attempts to send a mail, by outcome.",
    labels: ["status"],
  });
  // Alerts compare with 0, so that each series is there from the start.
  for (const outcome of OUTCOMES) mails.series(outcome);
  return (status) => mails.series(status).add();
}
