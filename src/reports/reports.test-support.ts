/** Test support: links, clicks and reports on a real database, and their pages. */
import { findAccount } from "../auth/account.repository.ts";
import { openAnalytics } from "../clicks/analytics/analytics.test-support.ts";
import type { Role } from "../lib/access.ts";
import type { Actor } from "../lib/actor.ts";
import { silentLogger } from "../lib/logger.ts";
import { openLinks } from "../links/links.test-support.ts";
import type { LinkEditing } from "../links/links.routes.ts";
import type { Database } from "../platform/db/database.ts";
import { createBodyMemory } from "../platform/http/body-memory.ts";
import { createUnlockCookies } from "../visitors/cookie.ts";
import { testVisitorPages as pages } from "../visitors/pages.test-support.ts";
import { createUnlock } from "../visitors/unlock.ts";
import { createEyes } from "./eyes.ts";
import { createFilterNames } from "./filter-names.ts";
import { createFigures } from "./figures.ts";
import { createReportsRepository } from "./reports.repository.ts";
import { createReportPages } from "./reports.service.ts";
import { createReportResponses } from "./visits.ts";

export type ReportsHarness = Awaited<ReturnType<typeof openReports>>;

let accounts = 0;

export async function openReports(database: Database, zone = "UTC") {
  const room = await openLinks(database);
  const { clock, changes, links } = room;
  const clicks = await openAnalytics(database);
  const repository = createReportsRepository(database);
  const eyes = createEyes({ findAccount: (id) => findAccount(database.read, id) });
  const names = createFilterNames({ repository, links });
  const reports = createReportPages({ repository, links, changes, eyes, names, clock });
  const figures = createFigures({
    analytics: clicks.analytics,
    links,
    eyes,
    names,
    recordsDetails: () => true,
    zone: () => zone,
    clock: clicks.clock,
  });
  const responses = createReportResponses({
    repository,
    figures,
    unlock: createUnlock({
      what: "report",
      pages,
      cookies: createUnlockCookies({ secret: () => "secret", isSecure: () => false }),
      guards: {
        takeTry: () => undefined,
        clientAddress: (peer) => peer,
        checkPassword: async ({ password, passwordHash }) =>
          (await Bun.password.verify(password, passwordHash)) ? passwordHash : null,
      },
      bodies: createBodyMemory(),
      clock,
    }),
    pages,
    clock,
    logger: silentLogger,
  });
  const plainLinks: LinkEditing = {
    patchLink: (_, key, input, actor) => links.by(actor).patch(key, input),
    revertLink: (_, key, { eventId, state }, { actor }) => links.by(actor).revert(key, eventId, state),
  };
  return {
    ...room,
    clicks,
    repository,
    reports,
    figures,
    editing: reports.editing(plainLinks),

    /** An account of its own, as actor. */
    async account(role: Role = "editor"): Promise<Actor & { accountId: number }> {
      const username = `person${++accounts}`;
      const row = { username, password_hash: "x", role, disabled: 0, quota_bytes: 0 };
      const id = await database.transaction((tx) =>
        database.dialect.insertReturningId(tx, "users", { ...row, created_at: 1, updated_at: 1 }),
      );
      const account = await findAccount(database.read, id);
      return {
        name: username,
        via: "api",
        accountId: id,
        ownOnly: role !== "admin",
        role,
        teams: account!.teams,
      };
    },

    async visit(linkId: number, init: RequestInit & { language?: string } = {}) {
      const { language = "en", ...request } = init;
      const headers = { accept: "text/html", "accept-language": language, ...init.headers };
      return responses.respond(linkId, new Request("http://go.example/code", { ...request, headers }));
    },
  };
}
