import type { Reading, Registry } from "../lib/metrics.ts";
import type { JobRunner } from "./runner.ts";

export function registerJobMetrics(registry: Registry, { stats }: Pick<JobRunner, "stats">): void {
  registry.observe(
    "counter",
    {
      name: "svc_job_runs_total",
      help: "Runs of background jobs by this process.",
      labels: ["job", "status"],
    },
    () =>
      stats().flatMap(({ job, succeeded, failed }): Reading[] => [
        [[job, "success"], succeeded],
        [[job, "failed"], failed],
      ]),
  );
}
