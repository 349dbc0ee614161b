import type { Registry } from "../lib/metrics.ts";

/** By this process. */
export function createMailCounter(registry: Registry): (status: "sent" | "delayed" | "failed") => void {
  const mails = registry.counter({
    name: "svc_mails_total",
    help: "Attempts to send a mail, by outcome.",
    labels: ["status"],
  });
  return (status) => mails.series(status).add();
}
