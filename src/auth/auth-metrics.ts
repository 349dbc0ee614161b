import type { Registry } from "../lib/metrics.ts";

export type FailureMethod = "password" | "second_factor" | "passkey" | "bearer" | "cookie" | "csrf" | "none";

export function createFailureCounter(registry: Registry): (method: FailureMethod) => void {
  const failures = registry.counter({
    name: "svc_auth_failures_total",
    help: "Refused credentials, by how they were sent.",
    labels: ["method"],
  });
  return (method) => failures.series(method).add();
}
