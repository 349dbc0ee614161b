/** The redirect, and what explains it. */
import { createAddressBuckets, createAddressLimit } from "../auth/address-limit.ts";
import type { Clicks } from "../clicks/clicks.ts";
import { createCountries } from "../clicks/details/geo.ts";
import { createAutomatedVisitors } from "../lib/automated-visitors.ts";
import { systemClock } from "../lib/clock.ts";
import type { LinkCache } from "../links/cache/cache.ts";
import { createExplain, type Explain } from "../redirect/explain.routes.ts";
import { createFallbacks } from "../redirect/fallbacks.ts";
import { sharedLink } from "../redirect/follow.ts";
import { createLocks } from "../redirect/locks.ts";
import { createRedirect, type Redirect } from "../redirect/redirect.ts";
import { createSpecials } from "../redirect/special.ts";
import { followPrivacy } from "./app-privacy.ts";
import { createAddressOf, createVisits } from "../redirect/visit.ts";
import { createVisitorFacts, sentIn } from "../redirect/visitor-facts.ts";
import type { Services } from "./services.ts";

export function startRedirect(
  services: Services,
  cache: LinkCache,
  clicks: Clicks,
): { redirect: Redirect; explain: Explain } {
  const { env, instance, config, auth, links, door, sharing, logger } = services;
  const clock = systemClock;
  const automated = createAutomatedVisitors();
  const addressOf = createAddressOf(() => config.get("api.trusted_proxies").length > 0, auth.clientAddress);
  const visitors = createVisitorFacts({
    key: instance,
    places: createCountries(env.analytics.maxminddbPath, { clock, logger }),
  });
  const locks = createLocks({ find: links.lockOf, form: door.links, pages: door.pages });
  const fallbacks = createFallbacks({
    find: cache.find,
    domains: links.domains,
    publicUrl: () => config.get("features.public_url"),
  });
  const passUtm = () => config.get("utm.enable_passthrough");
  const redirect = createRedirect({
    cache,
    clicks,
    automated,
    ...(config.get("analytics.enable_detailed_logging") && {
      visits: createVisits({
        clicks,
        privacy: followPrivacy(config),
        addressOf,
      }),
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
    shares: sharing.answers,
    drops: sharing.drops,
    domains: links.domains,
    pages: door.lostPages,
    files: door.siteFiles,
    visitorPages: door.pages,
    targets: {
      find: links.findByAnyCode,
      report: links.safety.report,
      takesReports: () => config.get("features.report_links"),
      // Apart from sign-ins, which reports would slow down.
      guards: { ...door.guards, takeTry: createAddressLimit(createAddressBuckets({ clock }).tryNow).take },
      readForm: door.readForm,
    },
    defaultUrl: () => config.get("features.default_url"),
    passUtm,
    clock,
    logger,
  });
  const explain = createExplain({
    visitors,
    fallbacks,
    automated,
    uses: links.uses,
    serves: async (code, now) => (await sharedLink(cache, code, now)) !== null,
    enforcesPasswords: () => config.get("features.enforce_link_passwords"),
    passUtm,
  });
  return { redirect, explain };
}
