/**
 * Links that do more than redirect (links/cache/special-link.ts). Dates are judged first, then the password, then the
 * limit, so no use is spent on a visitor who may not pass. A click counts when its visitor is sent to the target, or
 * gets the page for automated visitors.
 */
import type { CachedLink } from "../links/cache/cached-link.ts";
import { readSpecial, type SpecialLink } from "../links/cache/special-link.ts";
import type { RedirectStatus } from "../links/link/options.ts";
import type { VisitorPages } from "../visitors/look.ts";
import type { LostReason } from "../visitors/lost-pages.ts";
import { messagePage } from "../visitors/messages.ts";
import { answerPage } from "../visitors/page.ts";
import { isBrowser } from "../visitors/unlock.ts";
import { withQuery, withUtm } from "./utm.ts";
import type { Arrival } from "../wire/arrival.ts";
import type { Locks } from "./locks.ts";
import type { Visit } from "./visit.ts";

export type SpecialOutcome =
  | { kind: "target"; location: string; status: RedirectStatus }
  /** Leads to the fallback. */
  | { kind: "elsewhere"; location: string }
  | { kind: "missing"; reason: LostReason }
  /** For an automated visitor of a link with a limit. */
  | { kind: "page"; response: Response }
  /** No visit. */
  | { kind: "form"; response: Response };

export type Fallbacks = {
  /** Whether a link that is over would lead back to itself. Never rejects. */
  leadsBack(
    linkId: number,
    fallbackUrl: string,
    visit: Pick<Visit, "request" | "now">,
  ): boolean | Promise<boolean>;
};

export type Specials = ReturnType<typeof createSpecials>;

type Deps = {
  uses: { take(linkId: number): Promise<boolean> };
  automated: { includes(request: Arrival): boolean };
  locks: Pick<Locks, "refusal">;
  pages: VisitorPages;
  fallbacks: Fallbacks;
  passUtm(): boolean;
};

export function createSpecials({ uses, automated, locks, pages, fallbacks, passUtm }: Deps) {
  function toTarget({ target, redirectStatus, forwardQuery }: SpecialLink, visit: Visit): SpecialOutcome {
    const { request, pathEnd } = visit;
    const withPairs = forwardQuery ? withQuery : passUtm() ? withUtm : null;
    return {
      kind: "target",
      location: withPairs?.(target, request.path, pathEnd) ?? target,
      status: redirectStatus,
    };
  }

  function pass(id: number, link: SpecialLink, visit: Visit): SpecialOutcome | Promise<SpecialOutcome> {
    if (link.maxClicks === null) return toTarget(link, visit);
    if (automated.includes(visit.request)) {
      const look = pages.look(visit.request);
      return {
        kind: "page",
        response: answerPage(messagePage(look, look.texts.people), 200, visit.request),
      };
    }
    const orElse = () => instead(id, link, visit, "usedUp");
    return uses.take(id).then((mayPass) => (mayPass ? toTarget(link, visit) : orElse()));
  }

  function instead(
    id: number,
    { fallbackUrl }: SpecialLink,
    visit: Visit,
    reason: LostReason,
  ): SpecialOutcome | Promise<SpecialOutcome> {
    const missing: SpecialOutcome = { kind: "missing", reason };
    if (fallbackUrl === null) return missing;
    const lead = (isLoop: boolean): SpecialOutcome =>
      isLoop ? missing : { kind: "elsewhere", location: fallbackUrl };
    const isLoop = fallbacks.leadsBack(id, fallbackUrl, visit);
    return isLoop instanceof Promise ? isLoop.then(lead) : lead(isLoop);
  }

  return {
    /** The answer while the database is away, for links that need it. */
    away(request: Arrival): Response {
      const headers = { "Retry-After": String(RETRY_SECONDS) };
      if (isBrowser(request)) {
        const look = pages.look(request);
        return answerPage(messagePage(look, look.texts.share.notNow), 503, request, headers);
      }
      return new Response(request.method === "HEAD" ? null : "Service Unavailable", {
        status: 503,
        headers: { ...headers, "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store" },
      });
    },

    /** Null for a link that serves something else. Throws or rejects if the database fails. */
    follow({ id, location }: CachedLink, visit: Visit): SpecialOutcome | Promise<SpecialOutcome> | null {
      const link = readSpecial(location);
      if (link === null) return null;
      const closed = closedAs(link, visit.now);
      if (closed !== null) return instead(id, link, visit, closed);
      if (!link.isLocked) return pass(id, link, visit);
      return locks
        .refusal(id, visit.request)
        .then((response) => (response === null ? pass(id, link, visit) : { kind: "form", response }));
    },
  };
}

/** Null between its dates. Before them the link looks unknown. */
export function closedAs({ startsAt, expiresAt }: SpecialLink, now: number): "expired" | "unknown" | null {
  if (expiresAt !== null && expiresAt <= now) return "expired";
  return startsAt === null || startsAt <= now ? null : "unknown";
}

const RETRY_SECONDS = 5;
