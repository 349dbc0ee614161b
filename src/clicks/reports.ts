import { createLeases } from "../platform/cluster/leases.ts";
import type { Database } from "../platform/db/database.ts";
import type { Job } from "../platform/jobs/runner.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import { createClickExport } from "./analytics/export.ts";
import { type ReachableLinks, analyticsEndpoints } from "./analytics/routes.ts";
import { createAnalytics } from "./analytics/service.ts";
import { createMaintenance, createRetentionJobs, type RetentionDeps } from "./rollups/retention.ts";

/** The settings that this room reads. */
type ReportSettings = {
  "analytics.enable_detailed_logging": boolean;
  "analytics.enable_auto_rollup": boolean;
  "analytics.log_retention_days": number;
  "analytics.hourly_retention_days": number;
  "analytics.daily_retention_days": number;
  "analytics.max_log_rows": number;
  "analytics.max_rows_action": string;
};

/** Retention keeps the rows that the copy lacks. */
export type LogCopy = { lacks: NonNullable<RetentionDeps["lacks"]>; job: Job };

type Deps = {
  database: Database;
  links: ReachableLinks;
  /** The copy of the log elsewhere, if there is one. */
  copy: LogCopy | null;
  config: { get<K extends keyof ReportSettings>(key: K): ReportSettings[K] };
  clock: Clock;
  logger: Logger;
};

export function createReports({ database, links, copy, config, clock, logger }: Deps) {
  const replicated = { ...database, read: database.reports };
  return {
    /** Mount them before those of links. */
    endpoints: analyticsEndpoints({
      analytics: createAnalytics({ database: replicated, clock }),
      links,
      clickExport: createClickExport(replicated),
      recordsDetails: () => config.get("analytics.enable_detailed_logging"),
      now: clock.now,
      logger,
    }),
    jobs: [
      ...createRetentionJobs({
        database,
        ...(copy && { lacks: copy.lacks }),
        maintenance: createMaintenance(createLeases({ database })),
        clock,
        settings: {
          isEnabled: () => config.get("analytics.enable_auto_rollup"),
          logDays: () => config.get("analytics.log_retention_days"),
          hourlyDays: () => config.get("analytics.hourly_retention_days"),
          dailyDays: () => config.get("analytics.daily_retention_days"),
          maxLogRows: () =>
            config.get("analytics.max_rows_action") === "cleanup" ? config.get("analytics.max_log_rows") : 0,
        },
      }),
      ...(copy === null ? [] : [copy.job]),
    ],
  };
}
