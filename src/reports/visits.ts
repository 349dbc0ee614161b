/**
 * What visitors get at the code of a report: its page, for everybody alike. A right password sets a cookie; wrong ones
 * are limited per address like sign-ins, and delay the report.
 */
import { STATUS_OF_KIND } from "../platform/http/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
import { codeOf } from "../links/link/key.ts";
import type { VisitorPages } from "../visitors/look.ts";
import { type Message, messagePage } from "../visitors/messages.ts";
import { pageResponse } from "../visitors/page.ts";
import { pathWithQuery, seeOther, type Unlock, type VisitorConnection } from "../visitors/unlock.ts";
import { keepFigures, type MakeFigures } from "./figures.ts";
import { reportPage } from "./report-page.ts";
import type { ReportsRepository, VisitedReport } from "./reports.repository.ts";

type Deps = {
  repository: Pick<ReportsRepository, "visited">;
  figures: MakeFigures;
  unlock: Unlock;
  pages: VisitorPages;
  clock: Clock;
  logger: Logger;
};

export function createReportResponses({ repository, figures, unlock, pages, clock, logger }: Deps) {
  const kept = keepFigures(clock);

  function say(request: Request, status: number, choose: (texts: Texts) => Message): Response {
    const look = pages.look(request);
    return pageResponse(messagePage(look, choose(look.texts)), status, request);
  }

  const missing = (request: Request) => say(request, 404, ({ report }) => report.notFound);

  async function enter(report: VisitedReport, request: Request, connection?: VisitorConnection) {
    const { key, passwordHash } = report;
    const location = pathWithQuery(codeOf(key), request.url);
    if (passwordHash === null) return seeOther(location, {});
    const cookie = await unlock.enter({ ...report, passwordHash }, codeOf(key), request, connection);
    return cookie instanceof Response ? cookie : seeOther(location, cookie);
  }

  async function respondTo(report: VisitedReport, request: Request, connection?: VisitorConnection) {
    if (request.method === "POST") return enter(report, request, connection);
    const locked = unlock.lock(report, request);
    if (locked !== null) return locked;
    if (!(await figures.isOpen(report))) return missing(request);
    const { linkId, ownerId, by, links, filter, ids, days, firstDay, lastDay } = report;
    const key = JSON.stringify([linkId, ownerId, by, links, filter, ids, days, firstDay, lastDay]);
    const found = await kept(key, () => figures.of(report));
    if (found === null) return missing(request);
    return pageResponse(reportPage(pages.look(request), report.title, found), 200, request);
  }

  return {
    /** Never rejects. */
    async respond(linkId: number, request: Request, connection?: VisitorConnection): Promise<Response> {
      try {
        const report = await repository.visited(linkId);
        if (report === null || (report.expiresAt !== null && report.expiresAt <= clock.now()))
          return missing(request);
        return await respondTo(report, request, connection);
      } catch (error) {
        if (!(error instanceof AppError) || error.kind === "internal") {
          logger.error({ err: error }, "a report could not be shown");
          return say(request, 500, ({ share }) => share.failed);
        }
        return say(request, STATUS_OF_KIND[error.kind], ({ share }) => share.notNow);
      }
    },
  };
}

type Texts = ReturnType<VisitorPages["look"]>["texts"];
