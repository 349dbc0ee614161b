/** The redirect, and what explains where it leads. */
import type { AddressGuards } from "../visitors/unlock.ts";
import type { Clicks } from "../clicks/clicks.ts";
import type { MissCounter } from "../clicks/missing/miss-counter.ts";
import type { Salts } from "../clicks/unique/salts.ts";
import type { LinkCache } from "../links/cache/cache.ts";
import type { LinkService } from "../links/links.service.ts";
import type { Core } from "../platform/core.ts";
import type { Platform, Room } from "../platform/room-shape.ts";
import type { VisitorDoor } from "../visitors/door.ts";
import type { RedirectDeps } from "./redirect.ts";

type Needs = Platform & {
  auth: Pick<AddressGuards, "clientAddress">;
  takeReport: AddressGuards["takeTry"];
  cache: LinkCache;
  clicks: Clicks;
  missing: MissCounter;
  salts: Salts;
  links: LinkService;
  door: VisitorDoor;
  reports: { responses: NonNullable<RedirectDeps["reports"]> };
  sharing: { responses: NonNullable<RedirectDeps["shares"]>; drops: NonNullable<RedirectDeps["drops"]> };
};

export const redirectRoom = {
  name: "redirect",
  isServerOnly: true,
  extensions: { links: async () => (await import("./explain.commands.ts")).addExplainCommand },
  async start(core: Core, needs: Needs) {
    const { createCountries } = await import("../clicks/details/geo.ts");
    const { followPrivacy } = await import("../clicks/details/privacy.ts");
    const { createAutomatedVisitors } = await import("../lib/automated-visitors.ts");
    const { createExplain, explainDraftEndpoint, explainEndpoint } = await import("./explain.routes.ts");
    const { createFallbacks } = await import("./fallbacks.ts");
    const { sharedLink } = await import("./follow.ts");
    const { createLocks } = await import("./locks.ts");
    const { createRedirect, registerRedirectMetrics } = await import("./redirect.ts");
    const { createSpecials } = await import("./special.ts");
    const { createAddressOf, createVisits } = await import("./visit.ts");
    const { createWellKnown } = await import("./well-known.ts");
    const { createVisitorFacts, sentIn } = await import("./visitor-facts.ts");
    const { env, instance, auth, takeReport, cache, clicks, missing, salts, links, door, registry } = needs;
    const { sharing, reports } = needs;
    const { config, clock, logger } = core;
    const automated = createAutomatedVisitors();
    const addressOf = createAddressOf(() => config.get("api.trusted_proxies").length > 0, auth.clientAddress);
    const visitors = createVisitorFacts({
      key: instance,
      places: createCountries(env.analytics.maxminddbPath, { clock, logger }),
    });
    const locks = createLocks({ find: links.lockOf, form: door.links, pages: door.pages });
    const fallbacks = createFallbacks({
      find: (key, now) => cache.find(links.domains.stored(key), now),
      domains: links.domains,
      publicUrl: () => config.get("features.public_url"),
    });
    const passUtm = () => config.get("utm.enable_passthrough");
    const forgivesTails = () => config.get("links.forgive_tails");
    const redirect = createRedirect({
      cache,
      clicks,
      automated,
      ...(config.get("analytics.enable_detailed_logging") && {
        visits: createVisits({ clicks, salts, privacy: followPrivacy(config), addressOf }),
      }),
      specials: createSpecials({
        uses: links.uses,
        automated,
        locks,
        pages: door.pages,
        fallbacks,
        visitors: {
          facts: (linkId, visit) => visitors.of(sentIn(linkId, visit, addressOf)),
          loading: visitors.loading,
        },
        passUtm,
      }),
      locks,
      shares: sharing.responses,
      drops: sharing.drops,
      reports: reports.responses,
      domains: links.domains,
      forgivesTails,
      pages: door.lostPages,
      files: door.siteFiles,
      wellKnown: createWellKnown({
        setting: () => config.get("features.well_known"),
        find: links.document,
      }),
      missed: missing.add,
      visitorPages: door.pages,
      targets: {
        find: links.findByAnyCode,
        report: links.safety.report,
        takesReports: () => config.get("features.report_links"),
        guards: { ...door.guards, takeTry: takeReport },
        readForm: door.readForm,
      },
      defaultUrl: () => config.get("features.default_url"),
      passUtm,
      clock,
      logger,
    });
    registerRedirectMetrics(registry, redirect);
    const explain = createExplain({
      visitors,
      fallbacks,
      automated,
      uses: links.uses,
      shared: (code, now) => sharedLink(cache, links.domains.stored(code), now),
      servesFiles: links.servesFiles,
      enforcesPasswords: () => config.get("features.enforce_link_passwords"),
      passUtm,
    });
    const explaining = {
      explain,
      links,
      forgivesTails,
      targetSchemes: () => config.get("links.targets.schemes"),
      now: clock.now,
    };
    const api = [explainDraftEndpoint(explaining), explainEndpoint(explaining)];
    return { offers: { redirect }, endpoints: { api } };
  },
} satisfies Room;
