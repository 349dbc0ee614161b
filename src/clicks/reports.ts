import { createLeases } from "../platform/cluster/leases.ts";
import type { Core } from "../platform/core.ts";
import type { Job } from "../platform/jobs/runner.ts";
import { createClickExport } from "./analytics/export.ts";
import { type ReachableLinks, analyticsEndpoints } from "./analytics/routes.ts";
import { createAnalytics } from "./analytics/service.ts";
import { lostDetails } from "./details/gate.ts";
import { createDetailDropsRepository } from "./details/repository.ts";
import { UTC } from "./rollups/calendar.ts";
import { createMissingReport } from "./missing/report.ts";
import { missingEndpoint } from "./missing/routes.ts";
import { createZoneJob } from "./rollups/zone-change.ts";
import { createMaintenance, createRetentionJobs, type RetentionDeps } from "./rollups/retention.ts";

/** Retention keeps the rows that the copy lacks. */
export type LogCopy = { lacks: NonNullable<RetentionDeps["lacks"]>; job: Job };

type Deps = Core & {
  links: ReachableLinks;
  /** The copy of the log elsewhere, if there is one. */
  copy: LogCopy | null;
};

export function createReports({ links, copy, ...core }: Deps) {
  const { database, config, clock, logger } = core;
  const maintenance = createMaintenance(createLeases({ database }));
  const replicated = { ...database, read: database.reports };
  const analytics = createAnalytics({ database: replicated, clock });
  const drops = createDetailDropsRepository(replicated);
  return {
    analytics,
    /** Mount them before those of links. */
    endpoints: [
      missingEndpoint({
        missing: createMissingReport(replicated, links.domains.nameOf),
        analytics,
      }),
      ...analyticsEndpoints({
        analytics,
        links,
        clickExport: createClickExport(replicated),
        recordsDetails: () => config.get("analytics.enable_detailed_logging"),
        lostDetails: async ({ start, end }) =>
          lostDetails(await drops.totals({ from: UTC.day.of(start), to: UTC.day.of(end) + 1 })),
        logger,
      }),
    ],
    jobs: [
      ...createRetentionJobs({ ...core, ...(copy && { lacks: copy.lacks }), maintenance }),
      createZoneJob({ ...core, maintenance }),
      ...(copy === null ? [] : [copy.job]),
    ],
  };
}
