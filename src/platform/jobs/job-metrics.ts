import type { Reading, Registry } from "../../lib/metrics.ts";
import type { JobRunner } from "./runner.ts";

export function registerJobMetrics(registry: Registry, { stats }: Pick<JobRunner, "stats">): void {
  registry.observe(
    "counter",
    {
      name: "svc_job_runs_total",
      help: "Runs of background jobs by this process.",
      labels: ["task", "status"],
    },
    () =>
      stats().flatMap(({ job, succeeded, failed }): Reading[] => [
        [[job, "success"], succeeded],
        [[job, "failed"], failed],
      ]),
  );
  registry.observe(
    "gauge",
    {
      name: "svc_job_last_run_timestamp_seconds",
      help: "Unix time of the last run of a background job on this machine, by outcome.",
      labels: ["task", "status"],
      together: "largest",
    },
    () =>
      stats().flatMap(({ job, succeededAt, failedAt }): Reading[] => [
        [[job, "success"], succeededAt / 1000],
        [[job, "failed"], failedAt / 1000],
      ]),
  );
}
