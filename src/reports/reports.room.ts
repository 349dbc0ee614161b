/** Reports: codes that lead to pages with figures. */
import type { Analytics } from "../clicks/analytics/service.ts";
import type { LinkEditing } from "../links/links.routes.ts";
import type { LinkService } from "../links/links.service.ts";
import type { Core } from "../platform/core.ts";
import type { Platform, Room } from "../platform/room-shape.ts";
import type { VisitorDoor } from "../visitors/door.ts";
import type { EyesDeps } from "./eyes.ts";

type Needs = Platform & {
  auth: EyesDeps;
  links: LinkService;
  analytics: Analytics;
  door: VisitorDoor;
  sharing: { changes: LinkEditing };
};

export const reportsRoom = {
  name: "reports",
  commands: { reports: "pages with figures of links, and their mails" },
  loadCommands: async () => (await import("./reports.commands.ts")).addReportPageCommands,
  async start(core: Core, { auth, links, analytics, door, sharing }: Needs) {
    const { createEyes } = await import("./eyes.ts");
    const { createFilterNames } = await import("./filter-names.ts");
    const { createFigures } = await import("./figures.ts");
    const { createDaysJob } = await import("./days-job.ts");
    const { createReportsRepository } = await import("./reports.repository.ts");
    const { reportEndpoints } = await import("./reports.routes.ts");
    const { createReportPages } = await import("./reports.service.ts");
    const { createReportResponses } = await import("./visits.ts");
    const { config } = core;
    const zone = () => config.get("analytics.time_zone");
    const repository = createReportsRepository(core.database);
    const eyes = createEyes(auth);
    const names = createFilterNames({ repository, links });
    const reports = createReportPages({ ...core, repository, links, eyes, names });
    const figures = createFigures({
      ...core,
      analytics,
      links,
      eyes,
      names,
      recordsDetails: () => config.get("analytics.enable_detailed_logging"),
      zone,
    });
    const responses = createReportResponses({
      ...core,
      repository,
      figures,
      unlock: door.reports,
      pages: door.pages,
    });
    return {
      offers: {
        reports: { ...reports, figures, responses, zone, visited: repository.visited },
        editing: reports.editing(sharing.changes),
      },
      endpoints: { api: reportEndpoints({ reports, hostOf: links.domains.hostOf }) },
      jobs: [createDaysJob({ ...core, repository, figures, forgetDays: analytics.forgetDays })],
    };
  },
} satisfies Room;
