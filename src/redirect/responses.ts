/**
 * The 404 and 410 side of the redirect. Domains may send visitors elsewhere, a browser's navigation gets a page, everything
 * else the text of the specification.
 */
import type { LinkCache } from "../links/cache/cache.ts";
import { toLocation } from "../links/cache/cached-link.ts";
import type { RoutedDomain } from "../links/domains/registry.ts";
import { isSiteCode } from "../links/link/code.ts";
import { isNavigation, type LostPages, type LostReason } from "../visitors/lost-pages.ts";
import type { SiteFiles } from "../visitors/site-files.ts";
import type { Arrival } from "../platform/wire/arrival.ts";
import { CODE_START, keyIn, type PathDomains } from "./path-code.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import { createFailureLog } from "../lib/failure-log.ts";
import type { Logger } from "../lib/logger.ts";
import type { RedirectStatus } from "../links/link/field-values.ts";
import type { Specials } from "./special.ts";
import type { WellKnown } from "./well-known.ts";

type ResponseDeps = {
  specials: Pick<Specials, "away">;
  clock: Clock;
  logger: Logger;
};

export type Responses = ReturnType<typeof createResponses>;

const HTML = "text/html; charset=utf-8";

/** The last step: the responses of the redirect besides 404, counted by status. */
export function createResponses({ specials, clock, logger }: ResponseDeps) {
  const found = { 301: 0, 302: 0, 307: 0, 308: 0 };
  const counts = { found, failed: 0, away: 0 };
  const report = createFailureLog(clock, (err, suppressed) =>
    logger.error({ err, suppressed }, "a redirect failed: the link could not be looked up"),
  );

  /** `no-store` with every status, so that each visit comes here and is counted. */
  function redirect(location: string, request: Arrival, status: RedirectStatus = 307): Response {
    found[status]++;
    const fields = `Location: ${location}\r\nCache-Control: no-cache, no-store, must-revalidate\r\n`;
    return request.respondInPlace(status, fields);
  }

  function failed(error: unknown): Response {
    counts.failed++;
    report(error);
    return new Response("Internal Server Error", { status: 500, headers: { "Content-Type": HTML } });
  }

  return {
    redirect,
    failed,
    /** Responses a failure of a known link. */
    failedFor:
      (request: Arrival) =>
      (error: unknown): Response => {
        if (!(error instanceof AppError) || !["unavailable", "full"].includes(error.kind))
          return failed(error);
        counts.away++;
        report(error);
        return specials.away(request);
      },
    methodNotAllowed: (allow: string): Response =>
      new Response("Method Not Allowed", {
        status: 405,
        headers: { Allow: allow, "Content-Type": "text/plain; charset=utf-8" },
      }),
    counts: () => ({ ...counts, found: { ...found } }),
  };
}

type Deps = {
  cache: Pick<LinkCache, "knows">;
  domains: PathDomains;
  pages: LostPages;
  files: SiteFiles;
  wellKnown: WellKnown;
  failedFor: Responses["failedFor"];
  /** Redirects. */
  found(location: string, request: Arrival): Response;
  /** A code that never had a link, as far as it is known. */
  missed(key: string, request: Arrival): void;
};

/** A link that was taken down is gone. */
export const statusOf = (reason: LostReason): 404 | 410 => (reason === "takenDown" ? 410 : 404);
/** Header lines with CR LF. */
const PLAIN = "Content-Type: text/html; charset=utf-8\r\nCache-Control: public, max-age=60\r\n";

/**
 * Such paths never lead where the owner of a domain wants: certificate authorities follow redirects, and only
 * administrators speak for a host.
 */
const speaksForSite = (key: string | null): boolean => key !== null && isSiteCode(key);

/** Where a domain besides the default one leads visitors who find nothing, except at links that were taken down. */
export function urlInstead(
  domain: RoutedDomain | undefined,
  reason: LostReason,
  key: string | null,
): string | null {
  if (domain === undefined || reason === "takenDown" || speaksForSite(key)) return null;
  return (reason === "expired" ? domain.expiredUrl : null) ?? domain.notFoundUrl;
}

export type Lost = ReturnType<typeof createLost>;

export function createLost({ cache, domains, pages, files, wellKnown, failedFor, found, missed }: Deps) {
  let count = 0;

  function text(request: Arrival, reason: LostReason): Response {
    count++;
    const status = statusOf(reason);
    return request.respondInPlace(status, PLAIN, status === 404 ? "Not Found" : "Gone");
  }

  function page(request: Arrival, reason: LostReason): Response {
    count++;
    const { fields, content } = pages.page(request, reason);
    return request.respondInPlace(statusOf(reason), fields, content);
  }

  /** Ignores the rules of domains. */
  const missing = (request: Arrival, reason: LostReason): Response =>
    isNavigation(request) ? page(request, reason) : text(request, reason);

  const keyOn = (path: string, domain: RoutedDomain | undefined): string | null =>
    keyIn(path, domain, domains.ignoresCase(domain));

  function onDomain(request: Arrival, domain: RoutedDomain | undefined, reason: LostReason): Response {
    const url = domain && urlInstead(domain, reason, keyOn(request.path, domain));
    return url ? found(toLocation(url), request) : missing(request, reason);
  }

  return {
    missing,
    onDomain,

    /** Responds to a code without a link, or whose link has expired. @param known the key of such a link */
    unknown(request: Arrival, known?: string): Response | Promise<Response> {
      const { path } = request;
      const domain = domains.of(request.host);
      const key = known ?? keyOn(path, domain);
      const isExpired = () => key !== null && cache.knows(key);
      const document = wellKnown.at(path, domain);
      if (document !== null && !isExpired()) {
        if (document instanceof Response) return document;
        const orMissing = (response: Response | null) => response ?? missing(request, "unknown");
        return document.then(orMissing).catch(failedFor(request));
      }
      const file = files.at(path, CODE_START);
      if (file !== null && !isExpired()) return file;
      if (key !== null && !speaksForSite(key) && !isExpired()) missed(key, request);
      const url = domain && urlInstead(domain, isExpired() ? "expired" : "unknown", key);
      if (url) return found(toLocation(url), request);
      return isNavigation(request)
        ? page(request, isExpired() ? "expired" : "unknown")
        : text(request, "unknown");
    },

    /** Responds to the form of a browser whose share or drop box has ended; null for other requests. */
    form: (request: Arrival, key: string): Response | null =>
      isNavigation(request) ? missing(request, key !== "" && cache.knows(key) ? "expired" : "unknown") : null,

    /** Responds for an existing link that the visitor may not pass. */
    closed: (request: Arrival, reason: LostReason): Response =>
      onDomain(request, domains.of(request.host), reason),

    /** Number of 404s and 410s since the start. */
    count: (): number => count,
  };
}
