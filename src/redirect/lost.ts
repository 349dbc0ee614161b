/**
 * The 404 and 410 side of the redirect. Domains may send visitors elsewhere, a browser's navigation gets a page, everything
 * else the text of the specification.
 */
import type { LinkCache } from "../links/cache/cache.ts";
import { toLocation } from "../links/cache/location.ts";
import type { Domains, RoutedDomain } from "../links/domains/registry.ts";
import { isSiteCode } from "../links/link/site-code.ts";
import { isNavigation, type LostPages, type LostReason } from "../visitors/lost-pages.ts";
import type { SiteFiles } from "../visitors/site-files.ts";
import type { Arrival } from "../platform/wire/arrival.ts";
import { CODE_START, keyIn } from "./path-code.ts";

type Deps = {
  cache: Pick<LinkCache, "knows">;
  domains: Pick<Domains, "of">;
  pages: LostPages;
  files: SiteFiles;
  /** Redirects. */
  found(location: string, request: Arrival): Response;
};

/** Of a link that was taken down. */
const statusOf = (reason: LostReason): 404 | 410 => (reason === "takenDown" ? 410 : 404);
/** Header lines with CR LF. */
const PLAIN = "Content-Type: text/html; charset=utf-8\r\nCache-Control: public, max-age=60\r\n";

/**
 * Such paths never lead where the owner of a domain wants: certificate authorities follow redirects, and only
 * administrators speak for a host.
 */
const speaksForSite = (key: string | null): boolean => key !== null && isSiteCode(key);

export type Lost = ReturnType<typeof createLost>;

export function createLost({ cache, domains, pages, files, found }: Deps) {
  let count = 0;

  function text(request: Arrival, reason: LostReason): Response {
    count++;
    const status = statusOf(reason);
    return request.answerInPlace(status, PLAIN, status === 404 ? "Not Found" : "Gone");
  }

  function page(request: Arrival, reason: LostReason): Response {
    count++;
    const { fields, content } = pages.page(request, reason);
    return request.answerInPlace(statusOf(reason), fields, content);
  }

  /** Ignores the rules of domains. */
  const missing = (request: Arrival, reason: LostReason): Response =>
    isNavigation(request) ? page(request, reason) : text(request, reason);

  /** Applies the rules of a domain besides the default one, but to links that were taken down. */
  const onDomain = (request: Arrival, domain: RoutedDomain | undefined, reason: LostReason): Response =>
    domain?.notFoundUrl && reason !== "takenDown" && !speaksForSite(keyIn(request.path, domain))
      ? found(toLocation(domain.notFoundUrl), request)
      : missing(request, reason);

  return {
    missing,
    onDomain,

    /** For a code without a link, or whose link has expired. */
    unknown(request: Arrival): Response {
      const { path } = request;
      const domain = domains.of(request.host);
      const key = keyIn(path, domain);
      const isExpired = () => key !== null && cache.knows(key);
      const file = files.at(path, CODE_START);
      if (file !== null && !isExpired()) return file;
      if (domain !== undefined && !speaksForSite(key)) {
        if (domain.expiredUrl && isExpired()) return found(toLocation(domain.expiredUrl), request);
        if (domain.notFoundUrl) return found(toLocation(domain.notFoundUrl), request);
      }
      return isNavigation(request)
        ? page(request, isExpired() ? "expired" : "unknown")
        : text(request, "unknown");
    },

    /** For the form of a browser whose share or drop box has ended; null for other requests. */
    form: (request: Arrival, key: string): Response | null =>
      isNavigation(request) ? missing(request, key !== "" && cache.knows(key) ? "expired" : "unknown") : null,

    /** For an existing link that the visitor may not pass. */
    closed: (request: Arrival, reason: LostReason): Response =>
      onDomain(request, domains.of(request.host), reason),

    /** Number of 404s and 410s since the start. */
    count: (): number => count,
  };
}
