/** `/{code}` → 307, or what a special link says. A cached link must be cheap: no substring, no promise, no regular expression. */
import type { AutomatedVisitors } from "../lib/automated-visitors.ts";
import { AppError } from "../lib/errors.ts";
import { ESCAPED, scanCode } from "../lib/code-hash.ts";
import type { Clock } from "../lib/clock.ts";
import { createFailureLog } from "../lib/failure-log.ts";
import type { Logger } from "../lib/logger.ts";
import { isDrop, isInternal } from "../links/link/internal-target.ts";
import type { CachedLink } from "../links/cache/cached-link.ts";
import type { LinkCache } from "../links/cache/cache.ts";
import { toLocation } from "../links/cache/location.ts";
import { readSpecial } from "../links/cache/special-link.ts";
import type { RedirectStatus } from "../links/link/options.ts";
import type { Locks } from "./locks.ts";
import { CODE_START, codeWithin, endOfPath, keyIn } from "./path-code.ts";
import { continuesVisit, DROP_METHODS } from "./share-visit.ts";
import { closedAs, type SpecialOutcome, type Specials } from "./special.ts";
import type { Domains, RoutedDomain } from "../links/domains/registry.ts";
import { codeOf } from "../links/link/key.ts";
import type { Arrival } from "../wire/arrival.ts";
import type { LostPages } from "../visitors/lost-pages.ts";
import type { SiteFiles } from "../visitors/site-files.ts";
import { createLost } from "./lost.ts";
import { withUtm } from "./utm.ts";
import type { PeerSource, Visits } from "./visit.ts";

export type Redirect = {
  /** Never throws or rejects. The server has refused malformed requests (wire/read-head.ts). */
  handle(request: Arrival, peers?: PeerSource): Response | Promise<Response>;
  /** A link has the code of the request's path, even an expired one. Rejects if the database fails. */
  leads(request: Arrival): Promise<boolean>;
  /** Since the start, without refused methods, shares, icon and robots.txt. */
  counts(): RedirectCounts;
};

/** `found`: by status. `missing`: 404. `failed`: 500. `away`: 503. */
export type RedirectCounts = {
  found: Readonly<Record<RedirectStatus, number>>;
  missing: number;
  failed: number;
  away: number;
};

type Deps = {
  cache: Pick<LinkCache, "findIn" | "knows">;
  clicks: { record(linkId: number, atMs: number, isAutomated: boolean): void };
  automated: AutomatedVisitors;
  /** Replaces `clicks` with detailed logging. */
  visits?: Visits;
  specials: Specials;
  locks: Pick<Locks, "unlock">;
  /** For codes of shares. Never rejects. */
  shares?: { answer(linkId: number, request: Request, peers?: PeerSource): Promise<Response> };
  /** For codes of drop boxes. Never rejects. */
  drops?: { answer(linkId: number, request: Request, peers?: PeerSource): Promise<Response> };
  /** Besides the default one. */
  domains?: Pick<Domains, "of">;
  pages: LostPages;
  files: SiteFiles;
  /** For the default domain: an http(s) URL, or empty. */
  defaultUrl(): string;
  passUtm(): boolean;
  clock: Clock;
  logger: Logger;
};

const fieldsTo = (location: string): string =>
  `Location: ${location}\r\nCache-Control: no-cache, no-store, must-revalidate\r\n`;
const HTML = "text/html; charset=utf-8";
const NO_DOMAINS: Pick<Domains, "of"> = { of: () => undefined };

export function createRedirect({
  cache,
  clicks,
  automated,
  visits,
  specials,
  locks,
  shares,
  drops,
  domains = NO_DOMAINS,
  pages,
  files,
  defaultUrl,
  passUtm,
  clock,
  logger,
}: Deps): Redirect {
  const moved = { 301: 0, 302: 0, 308: 0 };
  const counts = { found: 0, failed: 0, away: 0 };
  const report = createFailureLog(clock, (err, suppressed) =>
    logger.error({ err, suppressed }, "a redirect failed: the link could not be looked up"),
  );
  const lost = createLost({ cache, domains, pages, files, found });

  function found(location: string, request: Arrival): Response {
    counts.found++;
    return request.answerInPlace(307, fieldsTo(location));
  }

  /** `no-store` with every status, so that each visit comes here and is counted. */
  function foundBy(location: string, status: RedirectStatus, request: Arrival): Response {
    if (status === 307) return found(location, request);
    moved[status]++;
    return request.answerInPlace(status, fieldsTo(location));
  }

  function failed(error: unknown): Response {
    counts.failed++;
    report(error);
    return new Response("Internal Server Error", { status: 500, headers: { "Content-Type": HTML } });
  }

  /** Answers a failure of a known link. */
  const failedFor =
    (request: Arrival) =>
    (error: unknown): Response => {
      if (!(error instanceof AppError) || !["unavailable", "full"].includes(error.kind)) return failed(error);
      counts.away++;
      report(error);
      return specials.away(request);
    };

  function send(location: string, pathEnd: number, request: Arrival): Response {
    const hasQuery = pathEnd < request.path.length;
    return found(hasQuery && passUtm() ? withUtm(location, request.path, pathEnd) : location, request);
  }

  function count(
    linkId: number,
    now: number,
    pathEnd: number,
    request: Arrival,
    peers: PeerSource | undefined,
  ): void {
    const isAutomated = automated.includes(request);
    if (visits === undefined) clicks.record(linkId, now, isAutomated);
    else visits.record(linkId, now, isAutomated, pathEnd, request, peers);
  }

  function follow(
    link: CachedLink | null,
    now: number,
    pathEnd: number,
    request: Arrival,
    peers: PeerSource | undefined,
  ): Response | Promise<Response> {
    if (link === null) return lost.unknown(request);
    if (isInternal(link.location)) return followInternal(link, now, pathEnd, request, peers);
    count(link.id, now, pathEnd, request, peers);
    return send(link.location, pathEnd, request);
  }

  function followInternal(
    link: CachedLink,
    now: number,
    pathEnd: number,
    request: Arrival,
    peers: PeerSource | undefined,
  ): Response | Promise<Response> {
    const answer = (outcome: SpecialOutcome): Response => {
      if (outcome.kind === "missing") return lost.closed(request, outcome.reason);
      if (outcome.kind === "elsewhere") return found(outcome.location, request);
      if (outcome.kind === "form") return outcome.response;
      count(link.id, now, pathEnd, request, peers);
      return outcome.kind === "page" ? outcome.response : foundBy(outcome.location, outcome.status, request);
    };
    const outcome = specials.follow(link, { request, pathEnd, now });
    if (outcome instanceof Promise) return outcome.then(answer).catch(failedFor(request));
    if (outcome !== null) return answer(outcome);
    if (!continuesVisit(link.id, request, pathEnd)) count(link.id, now, pathEnd, request, peers);
    const served = isDrop(link.location) ? drops : shares;
    return served?.answer(link.id, request.request(), peers) ?? lost.missing(request, "unknown");
  }

  function look(
    text: string,
    start: number,
    end: number,
    pathEnd: number,
    request: Arrival,
    peers: PeerSource | undefined,
  ): Response | Promise<Response> {
    const now = clock.now();
    const link = cache.findIn(text, start, end, now);
    if (!(link instanceof Promise)) return follow(link, now, pathEnd, request, peers);
    return link.then((later) => follow(later, now, pathEnd, request, peers)).catch(failed);
  }

  function decodeAndLook(request: Arrival, peers: PeerSource | undefined): Response | Promise<Response> {
    const pathEnd = endOfPath(request.path);
    const code = codeWithin(request.path, pathEnd);
    return code === null
      ? lost.missing(request, "unknown")
      : look(code, 0, code.length, pathEnd, request, peers);
  }

  async function linkOf({ path, host }: Arrival): Promise<{ key: string; link: CachedLink | null } | null> {
    const key = keyIn(path, domains.of(host));
    return key === null ? null : { key, link: await cache.findIn(key, 0, key.length, clock.now()) };
  }

  /** Counts no click. Visitors POST passwords to the code. */
  async function other(visitor: Arrival, peers: PeerSource | undefined): Promise<Response> {
    const { method } = visitor;
    // Made before anything waits, so that the body is read from the start.
    const request = visitor.request();
    const { key, link } = (await linkOf(visitor)) ?? { key: "", link: null };
    const late = link === null ? lost.form(visitor, key) : null;
    if (late !== null) return late;
    if (link === null || !isInternal(link.location)) return methodNotAllowed("GET, HEAD");
    if (isDrop(link.location)) {
      if (drops === undefined || !DROP_METHODS.split(", ").includes(method))
        return methodNotAllowed(DROP_METHODS);
      return drops.answer(link.id, request, peers);
    }
    const special = readSpecial(link.location);
    const takesForm = special === null ? shares !== undefined : special.isLocked;
    if (!takesForm || method !== "POST") return methodNotAllowed(takesForm ? "GET, HEAD, POST" : "GET, HEAD");
    if (special === null) return shares!.answer(link.id, request, peers);
    const closed = closedAs(special, clock.now());
    if (closed !== null) return lost.missing(visitor, closed);
    return locks.unlock(link.id, codeOf(key), request, peers).catch(failedFor(visitor));
  }

  function root(request: Arrival, pathEnd: number): Response {
    const location = toLocation(defaultUrl());
    return location === "" ? lost.missing(request, "root") : send(location, pathEnd, request);
  }

  function onDomain(
    domain: RoutedDomain,
    request: Arrival,
    peers: PeerSource | undefined,
  ): Response | Promise<Response> {
    const { path } = request;
    const end = endOfPath(path);
    if (end === CODE_START && domain.defaultUrl !== null)
      return send(toLocation(domain.defaultUrl), end, request);
    const key = keyIn(path, domain);
    if (key === null) return lost.onDomain(request, domain, end === CODE_START ? "root" : "unknown");
    return look(key, 0, key.length, end, request, peers);
  }

  return {
    handle(request, peers) {
      try {
        const method = request.method;
        if (method !== "GET" && method !== "HEAD") return other(request, peers).catch(failed);
        const path = request.path;
        const domain = domains.of(request.host);
        if (domain !== undefined) return onDomain(domain, request, peers);
        const end = scanCode(path, CODE_START);
        if (end > CODE_START) return look(path, CODE_START, end, end, request, peers);
        if (end === CODE_START) return root(request, end);
        return end === ESCAPED ? decodeAndLook(request, peers) : lost.missing(request, "unknown");
      } catch (error) {
        return failed(error);
      }
    },
    async leads(request) {
      const at = await linkOf(request);
      return at !== null && (at.link !== null || cache.knows(at.key));
    },
    counts: () => ({ ...counts, missing: lost.count(), found: { 307: counts.found, ...moved } }),
  };
}

function methodNotAllowed(allow: string): Response {
  return new Response("Method Not Allowed", {
    status: 405,
    headers: { Allow: allow, "Content-Type": "text/plain; charset=utf-8" },
  });
}
