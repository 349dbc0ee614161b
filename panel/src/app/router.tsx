import { createRoute, createRouter, notFound, redirect } from "@tanstack/react-router";
import { accountQuery } from "../auth/account.ts";
import { loadSecurityTexts } from "../auth/security-texts.ts";
import { readTokenSearch } from "../auth/tokens/token-queries.ts";
import { readUserSearch } from "../auth/users/user-queries.ts";
import { readCompareSearch } from "../clicks/compare/compare-search.ts";
import { readReportSearch } from "../clicks/range.ts";
import { readEventSearch } from "../events/event-search.ts";
import { readFileSearch } from "../files/file-search.ts";
import { readLinkSearch } from "../links/link-search.ts";
import { pageAt, pageQuery } from "../links/list/page-queries.ts";
import { readSharePage, readNewShare, readShareSearch } from "../shares/share-search.ts";
import { ApiError, type OwnAccount } from "../base/api.ts";
import { lazyRouteComponent } from "../base/lazy.ts";
import { withMailTexts } from "../base/mail-texts.ts";
import { withWebhookTexts } from "../base/webhook-texts.ts";
import { pageHistory } from "../base/page-history.ts";
import { hasRoom, PANEL_PATH } from "../base/place.ts";
import { queries } from "../base/queries.ts";
import { whenSignedOut } from "../base/session-end.ts";
import { FailurePage, MissingPage } from "../ui/failure.tsx";
import { readNewReport } from "../reports/report-search.ts";
import { OPEN_ROUTES, root } from "./open-routes.ts";
import { readSettingSearch } from "../config/setting-search.ts";
import { readLinkPageSearch, readQ, readShared, strictSearch } from "./searches.ts";

/** Everything that needs an account. */
const inside = createRoute({
  getParentRoute: () => root,
  id: "inside",
  async beforeLoad({ context, location }) {
    let account: OwnAccount;
    try {
      account = await context.queries.ensureQueryData(accountQuery);
    } catch (error) {
      // 404: the admin API is off.
      if (!(error instanceof ApiError) || ![401, 404].includes(error.status)) throw error;
      throw redirect({ to: "/sign-in", search: { to: location.href } });
    }
    if (["required", "unconfirmed"].includes(account.second_factor) && location.pathname !== "/account") {
      throw redirect({ to: "/account" });
    }
    return { account };
  },
  component: lazyRouteComponent(() => import("./shell.tsx"), "Shell"),
});

const overview = createRoute({
  getParentRoute: () => inside,
  path: "/",
  validateSearch: strictSearch(readReportSearch),
  beforeLoad({ context }) {
    if (context.account.role === "user") throw redirect({ to: "/files", search: {} });
  },
  component: lazyRouteComponent(() => import("../clicks/overview-page.tsx"), "OverviewPage"),
});

const analytics = createRoute({
  getParentRoute: () => inside,
  path: "/analytics",
  validateSearch: strictSearch(readReportSearch),
  beforeLoad({ context }) {
    if (context.account.role === "user") throw redirect({ to: "/files", search: {} });
  },
  component: lazyRouteComponent(() => import("../clicks/analytics-page.tsx"), "AnalyticsPage"),
});

const compare = createRoute({
  getParentRoute: () => inside,
  path: "/analytics/compare",
  validateSearch: strictSearch(readCompareSearch),
  component: lazyRouteComponent(() => import("../clicks/compare/compare-page.tsx"), "ComparePage"),
});

const reportPages = createRoute({
  getParentRoute: () => inside,
  path: "/analytics/pages",
  validateSearch: strictSearch(readNewReport),
  component: lazyRouteComponent(() => import("../reports/reports-page.tsx"), "ReportPagesPage"),
});

const links = createRoute({
  getParentRoute: () => inside,
  path: "/links",
  validateSearch: strictSearch(readLinkSearch),
  loaderDeps: ({ search }) => search,
  // While the page is still on the way.
  loader({ context, cause, deps: { at = 0, ...finding } }) {
    if (cause === "enter") void context.queries.prefetchQuery(pageQuery(finding, pageAt(at)));
  },
  component: lazyRouteComponent(() => import("../links/links-page.tsx"), "LinksPage"),
});

const link = createRoute({
  getParentRoute: () => inside,
  path: "/link/$",
  validateSearch: strictSearch(readLinkPageSearch),
  loaderDeps: ({ search }) => search,
  loader({ context, params, cause, deps: { domain, tab, ...report } }) {
    // Hovering over links requests nothing.
    if (cause === "preload") return;
    const place = { code: params._splat ?? "", domain };
    const since = Date.now();
    // A script of its own, which the sign-in does not wait for. The page asks again for what it lacks.
    void import("../links/prefetch-link.ts").then(
      ({ prefetchLink }) => prefetchLink(context.queries, place, tab === undefined ? report : null, since),
      () => {},
    );
  },
  component: lazyRouteComponent(() => import("../links/link-page.tsx"), "LinkPage"),
});

const newLink = createRoute({
  getParentRoute: () => inside,
  path: "/links/new",
  component: lazyRouteComponent(() => import("../links/new-link-page.tsx"), "NewLinkPage"),
});

const linkImport = createRoute({
  getParentRoute: () => inside,
  path: "/links/import",
  component: lazyRouteComponent(() => import("../links/csv/import-page.tsx"), "ImportPage"),
});

/** The page of a room that the server's program lacks is not there either. */
function needRoom(name: Parameters<typeof hasRoom>[0]): void {
  if (!hasRoom(name)) throw notFound();
}

const moves = createRoute({
  getParentRoute: () => inside,
  path: "/links/moves",
  beforeLoad: () => needRoom("imports"),
  component: lazyRouteComponent(() => import("../links/moves/pages.ts"), "MovesPage"),
});

const move = createRoute({
  getParentRoute: () => inside,
  path: "/links/moves/$id",
  beforeLoad: () => needRoom("imports"),
  component: lazyRouteComponent(() => import("../links/moves/pages.ts"), "MovePage"),
});

const bulkChanges = createRoute({
  getParentRoute: () => inside,
  path: "/links/changes",
  component: lazyRouteComponent(() => import("../links/bulk/bulk-changes-page.tsx"), "BulkChangesPage"),
});

const deletedLinks = createRoute({
  getParentRoute: () => inside,
  path: "/links/deleted",
  validateSearch: strictSearch(readQ),
  component: lazyRouteComponent(() => import("../links/deleted/deleted-page.tsx"), "DeletedLinksPage"),
});

const reports = createRoute({
  getParentRoute: () => inside,
  path: "/links/reports",
  component: lazyRouteComponent(() => import("../links/reports/reports-page.tsx"), "ReportsPage"),
});

const tags = createRoute({
  getParentRoute: () => inside,
  path: "/links/tags",
  validateSearch: strictSearch(readQ),
  component: lazyRouteComponent(() => import("../links/tags/tags-page.tsx"), "TagsPage"),
});

const ownAccount = createRoute({
  getParentRoute: () => inside,
  path: "/account",
  loader: loadSecurityTexts,
  component: lazyRouteComponent(() => import("../auth/security/account-page.tsx"), "AccountPage"),
});

const tokens = createRoute({
  getParentRoute: () => inside,
  path: "/tokens",
  validateSearch: strictSearch(readTokenSearch),
  component: lazyRouteComponent(() => import("../auth/tokens/tokens-page.tsx"), "TokensPage"),
});

const apiReference = createRoute({
  getParentRoute: () => inside,
  path: "/api",
  component: lazyRouteComponent(() => import("../auth/api-page.tsx"), "ApiPage"),
});

const users = createRoute({
  getParentRoute: () => inside,
  path: "/users",
  validateSearch: strictSearch(readUserSearch),
  component: lazyRouteComponent(() => import("../auth/users/users-page.tsx"), "UsersPage"),
});

const teams = createRoute({
  getParentRoute: () => inside,
  path: "/teams",
  component: lazyRouteComponent(() => import("../auth/teams/teams-page.tsx"), "TeamsPage"),
});

const team = createRoute({
  getParentRoute: () => inside,
  path: "/teams/$name",
  component: lazyRouteComponent(() => import("../auth/teams/team-page.tsx"), "TeamPage"),
});

const domains = createRoute({
  getParentRoute: () => inside,
  path: "/domains",
  component: lazyRouteComponent(() => import("../domains/domains-page.tsx"), "DomainsPage"),
});

const events = createRoute({
  getParentRoute: () => inside,
  path: "/events",
  validateSearch: strictSearch(readEventSearch),
  component: lazyRouteComponent(() => import("../events/events-page.tsx"), "EventsPage"),
});

const mail = createRoute({
  getParentRoute: () => inside,
  path: "/mail",
  beforeLoad: () => needRoom("mail"),
  component: lazyRouteComponent(() => withMailTexts(() => import("../mail/mail-page.tsx")), "MailPage"),
});

const webhooks = createRoute({
  getParentRoute: () => inside,
  path: "/webhooks",
  beforeLoad: () => needRoom("webhooks"),
  component: lazyRouteComponent(
    () => withWebhookTexts(() => import("../webhooks/webhooks-page.tsx")),
    "WebhooksPage",
  ),
});

const settings = createRoute({
  getParentRoute: () => inside,
  path: "/settings",
  validateSearch: strictSearch(readSettingSearch),
  component: lazyRouteComponent(() => import("../config/settings-page.tsx"), "SettingsPage"),
});

const files = createRoute({
  getParentRoute: () => inside,
  path: "/files",
  validateSearch: strictSearch(readFileSearch),
  component: lazyRouteComponent(() => import("../files/files-page.tsx"), "FilesPage"),
});

const trash = createRoute({
  getParentRoute: () => inside,
  path: "/files/trash",
  validateSearch: strictSearch(readFileSearch),
  component: lazyRouteComponent(() => import("../files/trash/trash-page.tsx"), "TrashPage"),
});

const shares = createRoute({
  getParentRoute: () => inside,
  path: "/shares",
  validateSearch: strictSearch(readShareSearch),
  component: lazyRouteComponent(() => import("../shares/shares-page.tsx"), "SharesPage"),
});

const newShare = createRoute({
  getParentRoute: () => inside,
  path: "/shares/new",
  validateSearch: strictSearch(readNewShare),
  component: lazyRouteComponent(() => import("../shares/new-share-page.tsx"), "NewSharePage"),
});

const share = createRoute({
  getParentRoute: () => inside,
  path: "/share/$",
  validateSearch: strictSearch(readSharePage),
  component: lazyRouteComponent(() => import("../shares/share-page.tsx"), "SharePage"),
});

const shared = createRoute({
  getParentRoute: () => inside,
  path: "/shared",
  validateSearch: strictSearch(readShared),
  component: lazyRouteComponent(() => import("../files/shared-page.tsx"), "SharedPage"),
});

const policies = createRoute({
  getParentRoute: () => inside,
  path: "/policies",
  component: lazyRouteComponent(() => import("../files/policies/policies-page.tsx"), "PoliciesPage"),
});

const health = createRoute({
  getParentRoute: () => inside,
  path: "/health",
  component: lazyRouteComponent(() => import("../health/pages.ts"), "HealthPage"),
});

/** With the menu. */
const missing = createRoute({ getParentRoute: () => inside, path: "$", component: MissingPage });

export const router = createRouter({
  routeTree: root.addChildren([
    ...OPEN_ROUTES,
    inside.addChildren([
      overview,
      analytics,
      compare,
      reportPages,
      links,
      link,
      newLink,
      linkImport,
      moves,
      move,
      bulkChanges,
      deletedLinks,
      reports,
      tags,
      files,
      trash,
      shares,
      newShare,
      share,
      ownAccount,
      tokens,
      apiReference,
      users,
      teams,
      team,
      domains,
      events,
      shared,
      policies,
      health,
      mail,
      webhooks,
      settings,
      missing,
    ]),
  ]),
  history: pageHistory,
  basepath: PANEL_PATH,
  context: { queries },
  defaultPreload: "intent",
  defaultErrorComponent: FailurePage,
  defaultNotFoundComponent: MissingPage,
  // The list of links keeps its position in the address.
  scrollRestoration: ({ location }) => location.pathname !== "/links",
});

whenSignedOut(() => {
  const { pathname, href } = router.state.location;
  if (OPEN_ROUTES.some(({ path }) => path === pathname)) return;
  void router.navigate({ to: "/sign-in", search: { to: href } }).then(() => queries.clear());
});

declare module "@tanstack/react-router" {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- the router's types are extended so
  interface Register {
    router: typeof router;
  }
}
