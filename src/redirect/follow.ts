/** From the link to the response: most links count a click and lead to their target, some do more first. */
import type { AutomatedVisitors } from "../lib/automated-visitors.ts";
import { isDrop, isInternal, isReport } from "../links/link/internal-target.ts";
import type { LinkCache } from "../links/cache/cache.ts";
import { type CachedLink, isSpecial } from "../links/cache/cached-link.ts";
import type { Responses, Lost } from "./responses.ts";
import { keyOfCode, type PathDomains } from "./path-code.ts";
import { continuesVisit } from "./share-visit.ts";
import type { SpecialOutcome, Specials } from "./special.ts";
import { withUtm } from "./utm.ts";
import type { PeerSource, Visit, Visits } from "./visit.ts";

/** What a code serves besides a redirect. Never rejects. */
export type Served = { respond(linkId: number, request: Request, peers?: PeerSource): Promise<Response> };

type Deps = {
  cache: Pick<LinkCache, "findIn" | "knows">;
  clicks: { record(linkId: number, atMs: number, isAutomated: boolean): void };
  automated: AutomatedVisitors;
  /** Replaces `clicks` with detailed logging. */
  visits?: Visits;
  specials: Specials;
  /** Serves codes of shares. */
  shares?: Served;
  /** Serves codes of drop boxes. */
  drops?: Served;
  /** Serves codes of reports. */
  reports?: Served;
  /** Besides the default one, which has all shares. */
  domains?: PathDomains;
  passUtm(): boolean;
  responses: Responses;
  lost: Lost;
};

export function createFollow({
  cache,
  clicks,
  automated,
  visits,
  specials,
  shares,
  drops,
  reports,
  domains,
  passUtm,
  responses,
  lost,
}: Deps) {
  const ignoresCase = (): boolean => domains?.ignoresCase(undefined) ?? false;

  function count(linkId: number, visit: Visit, location: string | null): void {
    const isAutomated = automated.includes(visit.request);
    if (visits === undefined) clicks.record(linkId, visit.now, isAutomated);
    else visits.record(linkId, visit, isAutomated, location);
  }

  function send(location: string, { request, pathEnd }: Visit): Response {
    const hasQuery = pathEnd < request.path.length;
    return responses.redirect(
      hasQuery && passUtm() ? withUtm(location, request.path, pathEnd) : location,
      request,
    );
  }

  function respondSpecial(
    outcome: SpecialOutcome,
    linkId: number,
    visit: Visit,
  ): Response | Promise<Response> {
    const { request } = visit;
    if (outcome.kind === "missing") return lost.closed(request, outcome.reason);
    if (outcome.kind === "elsewhere") return responses.redirect(outcome.location, request);
    if (outcome.kind === "form") return outcome.response;
    if (outcome.kind === "share") return serveInPlace(outcome.code, linkId, visit);
    count(linkId, visit, outcome.kind === "target" ? outcome.location : null);
    if (outcome.kind === "page") return outcome.response;
    return responses.redirect(outcome.location, request, outcome.status);
  }

  /** Counts a click of the link whose rule names the share. */
  async function serveInPlace(given: string, linkId: number, visit: Visit): Promise<Response> {
    const code = keyOfCode(given, undefined, ignoresCase());
    const shared = await sharedLink(cache, code, visit.now);
    if (shared !== null) return serve(shared, visit, linkId);
    return lost.closed(visit.request, cache.knows(code) ? "expired" : "unknown");
  }

  function serve(
    { id, location }: CachedLink,
    visit: Visit,
    countedId: number = id,
  ): Response | Promise<Response> {
    const { request, pathEnd, peers } = visit;
    // A report counts clicks and has none, so that it never shows its own.
    const isCounted = !(isReport(location) && countedId === id) && !continuesVisit(id, request, pathEnd);
    if (isCounted) count(countedId, visit, null);
    const served = isReport(location) ? reports : isDrop(location) ? drops : shares;
    return served?.respond(id, request.request(), peers) ?? lost.missing(request, "unknown");
  }

  function followInternal(link: CachedLink, visit: Visit): Response | Promise<Response> {
    const outcome = specials.follow(link, visit);
    if (outcome === null) return serve(link, visit);
    const response =
      outcome instanceof Promise
        ? outcome.then((known) => respondSpecial(known, link.id, visit))
        : respondSpecial(outcome, link.id, visit);
    return response instanceof Promise ? response.catch(responses.failedFor(visit.request)) : response;
  }

  return {
    /** Redirects without a click, with the request's UTM pairs. */
    send,
    follow(link: CachedLink, visit: Visit): Response | Promise<Response> {
      if (isInternal(link.location)) return followInternal(link, visit);
      count(link.id, visit, link.location);
      return send(link.location, visit);
    },
  };
}

/** The link of a share or drop box with this code, or null. */
export async function sharedLink(
  cache: Pick<LinkCache, "findIn">,
  code: string,
  now: number,
): Promise<CachedLink | null> {
  const link = await cache.findIn(code, 0, code.length, now);
  return link !== null && isInternal(link.location) && !isSpecial(link.location) ? link : null;
}
