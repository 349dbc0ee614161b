import type { Registry } from "../lib/metrics.ts";

/** Where authentication failed, for the metric. */
export type FailureMethod = "password" | "bearer" | "cookie" | "csrf" | "none";

/** Counts refused credentials. */
export function createFailureCounter(registry: Registry): (method: FailureMethod) => void {
  const failures = registry.counter({
    name: "svc_auth_failures_total",
    help: "Refused credentials, by how they came.",
    labels: ["method"],
  });
  return (method) => failures.series(method).add();
}
