/**
 * `/{code}` → 307, or the action of a special link. A request's way: its domain, its code, the link (here); a click,
 * then where the link leads (`follow.ts`); the response (`responses.ts`). A cached link must be cheap: no substring,
 * no promise, no regular expression.
 */
import { ESCAPED, scanCode } from "../lib/code-hash.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import { type CachedLink, isSpecial, readSpecial, toLocation } from "../links/cache/cached-link.ts";
import type { LinkCache } from "../links/cache/cache.ts";
import type { RoutedDomain } from "../links/domains/registry.ts";
import type { RedirectStatus } from "../links/link/field-values.ts";
import type { Arrival } from "../platform/wire/arrival.ts";
import type { LostPages } from "../visitors/lost-pages.ts";
import type { VisitorPages } from "../visitors/look.ts";
import type { SiteFiles } from "../visitors/site-files.ts";
import { createResponses, createLost } from "./responses.ts";
import { createFollow } from "./follow.ts";
import type { Locks } from "./locks.ts";
import { createOtherMethods, type Found } from "./other-methods.ts";
import { createNearLinks, type NearLink } from "./near-links.ts";
import {
  CODE_START,
  codeWithin,
  endOfPath,
  hasCapital,
  keyIn,
  keyOfCode,
  type PathDomains,
} from "./path-code.ts";
import { createTargetPage } from "./target-page.ts";
import type { PeerSource, Visit } from "./visit.ts";
import type { WellKnown } from "./well-known.ts";
import type { Reading, Registry } from "../lib/metrics.ts";

export type Redirect = ReturnType<typeof createRedirect>;

/** `found`: by status. `missing`: 404. `failed`: 500. `away`: 503. */
type RedirectCounts = {
  found: Readonly<Record<RedirectStatus, number>>;
  missing: number;
  failed: number;
  away: number;
};

export type RedirectDeps = Omit<Parameters<typeof createFollow>[0], "responses" | "lost"> & {
  cache: Pick<LinkCache, "findIn" | "knows">;
  locks: Pick<Locks, "unlock">;
  /** Whether a path that leads nowhere is tried without what was left behind it. */
  forgivesTails?(): boolean;
  pages: LostPages;
  files: SiteFiles;
  wellKnown: WellKnown;
  /** Counts a request of a code without a link. */
  missed(key: string, request: Arrival): void;
  visitorPages: VisitorPages;
  /** See target-page.ts. */
  targets: Pick<
    Parameters<typeof createTargetPage>[0],
    "find" | "report" | "takesReports" | "guards" | "readForm"
  >;
  /** Where the root of the default domain leads: an http(s) URL, or empty. */
  defaultUrl(): string;
  clock: Clock;
  logger: Logger;
};

const NO_DOMAINS: PathDomains = { of: () => undefined, ignoresCase: () => false };

const forwardsPath = ({ location }: CachedLink): boolean =>
  isSpecial(location) && readSpecial(location)!.forwardPath;

export function createRedirect(deps: RedirectDeps) {
  const { cache, domains = NO_DOMAINS, forgivesTails = () => false, defaultUrl, clock } = deps;
  const responses = createResponses(deps);
  const lost = createLost({ ...deps, ...responses, domains, found: responses.redirect });
  const { follow, send } = createFollow({ ...deps, responses, lost });
  const { near, linkAt, linkOf, isTaken } = createLookups({ cache, domains, forgivesTails, clock });
  const targetPage = targetPageOf(deps, { domains, lost, isTaken });
  const handleOther = createOtherMethods({ ...deps, linkOf, responses, lost });

  /** The page of a path that ends in `+`, or null. Its callers have no closures, which would cost every redirect. */
  function targetShown(request: Arrival, peers: PeerSource | undefined): Promise<Response> | null {
    const key = targetPage.keyIn(request);
    return key === null ? null : targetOf(key, request, peers).catch(responses.failedFor(request));
  }

  async function targetOf(key: string, request: Arrival, peers: PeerSource | undefined): Promise<Response> {
    const page = await targetPage.respond(key, request, peers);
    if (page !== null) return page;
    if (request.method === "POST") return lost.onDomain(request, domains.of(request.host), "unknown");
    return otherwise(visitOf(request, peers, endOfPath(request.path)));
  }

  const visitOf = (request: Arrival, peers: PeerSource | undefined, pathEnd: number): Visit => ({
    request,
    peers,
    pathEnd,
    now: clock.now(),
    rule: null,
    beyond: "",
  });

  function onDefaultDomain(request: Arrival, peers: PeerSource | undefined): Response | Promise<Response> {
    const { path } = request;
    const end = scanCode(path, CODE_START);
    if (end > CODE_START) {
      const visit = visitOf(request, peers, end);
      if (domains.ignoresCase(undefined) && hasCapital(path, CODE_START, end))
        // A code has ASCII only.
        return look(path.slice(CODE_START, end).toLowerCase(), visit);
      return arrive(cache.findIn(path, CODE_START, end, visit.now), visit);
    }
    if (end === CODE_START) return root(visitOf(request, peers, end));
    const pathEnd = endOfPath(path);
    const code = end === ESCAPED ? codeWithin(path, pathEnd) : null;
    const visit = visitOf(request, peers, pathEnd);
    if (code !== null) return look(keyOfCode(code, undefined, domains.ignoresCase(undefined)), visit);
    return targetShown(request, peers) ?? otherwise(visit);
  }

  function onDomain(
    domain: RoutedDomain,
    request: Arrival,
    peers: PeerSource | undefined,
  ): Response | Promise<Response> {
    const visit = visitOf(request, peers, endOfPath(request.path));
    const isRoot = visit.pathEnd === CODE_START;
    if (isRoot && domain.defaultUrl !== null) return send(toLocation(domain.defaultUrl), visit);
    const key = keyIn(request.path, domain, domain.ignoreCase);
    if (key !== null) return look(key, visit);
    return (
      targetShown(request, peers) ?? (isRoot ? lost.onDomain(request, domain, "root") : otherwise(visit))
    );
  }

  function root(visit: Visit): Response {
    const location = toLocation(defaultUrl());
    return location === "" ? lost.missing(visit.request, "root") : send(location, visit);
  }

  const look = (key: string, visit: Visit): Response | Promise<Response> =>
    arrive(cache.findIn(key, 0, key.length, visit.now), visit);

  function arrive(
    link: CachedLink | null | Promise<CachedLink | null>,
    visit: Visit,
  ): Response | Promise<Response> {
    if (link === null) return otherwise(visit);
    if (!(link instanceof Promise)) return follow(link, visit);
    return link
      .then((later) => (later === null ? otherwise(visit) : follow(later, visit)))
      .catch(responses.failed);
  }

  /** The way of a path whose code has no link. */
  function otherwise(visit: Visit): Response | Promise<Response> {
    const found = near.find(visit.request, visit.now);
    if (!(found instanceof Promise)) return followNear(found, visit);
    return found.then((later) => followNear(later, visit)).catch(responses.failed);
  }

  function followNear(found: NearLink<CachedLink> | null, visit: Visit): Response | Promise<Response> {
    if (found === null || found.link === null) return lost.unknown(visit.request, found?.key);
    visit.beyond = found.beyond;
    return follow(found.link, visit);
  }

  return {
    /** Never throws or rejects. The server has refused malformed requests (wire/read-head.ts). */
    handle(request: Arrival, peers?: PeerSource): Response | Promise<Response> {
      try {
        const { method } = request;
        if (method !== "GET" && method !== "HEAD") {
          return targetShown(request, peers) ?? handleOther(request, peers).catch(responses.failed);
        }
        const domain = domains.of(request.host);
        return domain === undefined ? onDefaultDomain(request, peers) : onDomain(domain, request, peers);
      } catch (error) {
        return responses.failed(error);
      }
    },
    /** A link has the code of the request's path, even an expired one. Rejects if the database fails. */
    async leads(request: Arrival): Promise<boolean> {
      const at = await linkAt(request);
      return at !== null && (at.link !== null || cache.knows(at.key));
    },
    /** Since the start, without refused methods, shares, icon and robots.txt. */
    counts: (): RedirectCounts => ({ ...responses.counts(), missing: lost.count() }),
  };
}

type TargetParts = Pick<Parameters<typeof createTargetPage>[0], "domains" | "lost"> & {
  isTaken(key: string): Promise<boolean>;
};

function targetPageOf({ targets, visitorPages: pages, clock }: RedirectDeps, parts: TargetParts) {
  const { isTaken, ...others } = parts;
  // The cache spares the database made-up codes.
  const find = async (key: string) => ((await isTaken(key)) ? targets.find(key) : null);
  return createTargetPage({ ...targets, find, pages, clock, ...others });
}

type LookupDeps = Required<Pick<RedirectDeps, "cache" | "domains" | "forgivesTails" | "clock">>;

/** What is found besides on the way of a redirect. */
function createLookups({ cache, domains, forgivesTails, clock }: LookupDeps) {
  const find = (key: string, now: number) => cache.findIn(key, 0, key.length, now);
  const near = createNearLinks({ find, knows: cache.knows, forwardsPath, domains, forgivesTails });

  async function linkAt({ path, host }: Arrival): Promise<Found | null> {
    const domain = domains.of(host);
    const key = keyIn(path, domain, domains.ignoresCase(domain));
    return key === null ? null : { key, link: await find(key, clock.now()), beyond: "" };
  }

  async function linkOf(request: Arrival): Promise<Found | null> {
    const exact = await linkAt(request);
    return exact?.link ? exact : ((await near.find(request, clock.now())) ?? exact);
  }

  const isTaken = async (key: string): Promise<boolean> =>
    (await find(key, clock.now())) !== null || cache.knows(key);

  /** `linkAt`: of the path's code alone. `isTaken`: a link has the key, even an expired one. */
  return { near, linkAt, linkOf, isTaken };
}

export function registerRedirectMetrics(registry: Registry, { counts }: Pick<Redirect, "counts">): void {
  registry.observe(
    "counter",
    { name: "svc_redirects_total", help: "Responses of the redirect.", labels: ["status"] },
    () => {
      const { found, missing, failed, away } = counts();
      return [
        ...Object.entries(found).map(([status, count]): Reading => [[status], count]),
        [["404"], missing],
        [["500"], failed],
        [["503"], away],
      ];
    },
  );
}
