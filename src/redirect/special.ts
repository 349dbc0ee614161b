/**
 * Links that do more than redirect (links/cache/cached-link.ts). Dates are checked first, then the password; previews get
 * the card; the rules choose the target, then the limit is checked, so no use is spent on a visitor who may not pass. A click counts
 * when its visitor is sent to the target or to a share, or gets the page for automated visitors.
 */
import { isLinkPreview } from "../lib/automated-visitors.ts";
import { type CachedLink, readSpecial, type SpecialLink } from "../links/cache/cached-link.ts";
import type { HeldState } from "../links/link/held.ts";
import type { RedirectStatus } from "../links/link/field-values.ts";
import { decide, type Facts } from "../links/rules/decide.ts";
import { sharedCode } from "../links/rules/rule.ts";
import type { VisitorPages } from "../visitors/look.ts";
import type { LostReason } from "../visitors/lost-pages.ts";
import { cardPage, messagePage } from "../visitors/messages.ts";
import { pageResponse } from "../visitors/page.ts";
import { isBrowser } from "../visitors/unlock.ts";
import { withPath } from "./forwarded-path.ts";
import { withQuery, withUtm } from "./utm.ts";
import type { Arrival } from "../platform/wire/arrival.ts";
import type { Locks } from "./locks.ts";
import { isShareStep } from "./share-visit.ts";
import type { Visit } from "./visit.ts";

export type SpecialOutcome =
  | { kind: "target"; location: string; status: RedirectStatus }
  /** A rule serves the share or drop box with this code. */
  | { kind: "share"; code: string }
  /** Leads to the fallback. */
  | { kind: "elsewhere"; location: string }
  | { kind: "missing"; reason: LostReason }
  /** A page for automated visitors of a link with a limit, and for previews of one with a card. */
  | { kind: "page"; response: Response }
  /** No visit. */
  | { kind: "form"; response: Response };

export type Fallbacks = {
  /** Whether a link that is over would lead back to itself. Never rejects. */
  leadsBack(
    linkId: number,
    fallbackUrl: string,
    visit: { request: { url: string }; now: number },
  ): boolean | Promise<boolean>;
};

export type Specials = ReturnType<typeof createSpecials>;

type Deps = {
  uses: { take(linkId: number): Promise<boolean> };
  automated: { includes(request: Arrival): boolean };
  locks: Pick<Locks, "refusal">;
  pages: VisitorPages;
  fallbacks: Fallbacks;
  /** What rules ask about visitors. */
  visitors: {
    facts(linkId: number, visit: Visit): Facts;
    /** Resolves when the countries are loaded; null if they are not loading. */
    loading(): Promise<void> | null;
  };
  passUtm(): boolean;
};

export function createSpecials(deps: Deps) {
  const { uses, automated, locks, pages, fallbacks, visitors, passUtm } = deps;

  function toTarget(link: SpecialLink, { request, pathEnd, beyond }: Visit): SpecialOutcome {
    const code = sharedCode(link.target);
    if (code !== null) return { kind: "share", code };
    const location = locate(link, { path: request.path, pathEnd, beyond }, passUtm());
    return { kind: "target", location, status: link.redirectStatus };
  }

  function choose(id: number, link: SpecialLink, visit: Visit): SpecialLink {
    if (link.rules === null) return link;
    const rule = decide(link.rules, visitors.facts(id, visit));
    if (rule < 0) return link;
    visit.rule = rule;
    return { ...link, target: link.ruleTargets()[rule]! };
  }

  /** Calls `then` with the target that the rules choose. */
  function chosen<T>(
    id: number,
    link: SpecialLink,
    visit: Visit,
    then: (link: SpecialLink) => T | Promise<T>,
  ): T | Promise<T> {
    const loading = link.rules?.asksCountry ? visitors.loading() : null;
    const go = () => then(choose(id, link, visit));
    return loading === null ? go() : loading.then(go);
  }

  function pass(id: number, link: SpecialLink, visit: Visit): SpecialOutcome | Promise<SpecialOutcome> {
    const { request } = visit;
    if (link.card !== null && isLinkPreview(request.headers.get("user-agent"))) {
      const response = pageResponse(cardPage(pages.look(request), link.card), 200, request);
      return { kind: "page", response };
    }
    return chosen<SpecialOutcome>(id, link, visit, (to) => passTo(id, to, visit));
  }

  function passTo(id: number, link: SpecialLink, visit: Visit): SpecialOutcome | Promise<SpecialOutcome> {
    if (link.maxClicks === null) return toTarget(link, visit);
    if (sharedCode(link.target) !== null && isShareStep(visit.request, visit.pathEnd))
      return toTarget(link, visit);
    if (automated.includes(visit.request)) {
      const look = pages.look(visit.request);
      return {
        kind: "page",
        response: pageResponse(messagePage(look, look.texts.people), 200, visit.request),
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
    /** The response while the database is away, for links that need it. */
    away(request: Arrival): Response {
      const headers = { "Retry-After": String(RETRY_SECONDS) };
      if (isBrowser(request)) {
        const look = pages.look(request);
        return pageResponse(messagePage(look, look.texts.share.notNow), 503, request, headers);
      }
      return new Response(request.method === "HEAD" ? null : "Service Unavailable", {
        status: 503,
        headers: { ...headers, "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store" },
      });
    },

    /** The outcome of a visit; null for a link that serves something else. Throws or rejects if the database fails. */
    follow({ id, location }: CachedLink, visit: Visit): SpecialOutcome | Promise<SpecialOutcome> | null {
      const link = readSpecial(location);
      if (link === null) return null;
      if (link.held !== null) return { kind: "missing", reason: HELD_AS[link.held.state] };
      const closed = closedAs(link, visit.now);
      if (closed !== null) return instead(id, link, visit, closed);
      if (!link.isLocked) return pass(id, link, visit);
      return locks
        .refusal(id, visit.request)
        .then((response) => (response === null ? pass(id, link, visit) : { kind: "form", response }));
    },

    /** The code of the share that the link serves to the visitor, for other methods; null without one. */
    async shareAt({ id, location }: CachedLink, visit: Visit): Promise<string | null> {
      const link = readSpecial(location);
      if (!link?.rules || link.held !== null || closedAs(link, visit.now) !== null) return null;
      if (link.isLocked && (await locks.refusal(id, visit.request)) !== null) return null;
      return chosen(id, link, visit, ({ target }) => sharedCode(target));
    },
  };
}

/** The target with what the request adds: what follows the code in its path, and its query, which begins at `pathEnd`. */
export function locate(
  { target, forwardQuery }: Pick<SpecialLink, "target" | "forwardQuery">,
  { path, pathEnd, beyond }: { path: string; pathEnd: number; beyond: string },
  passesUtm: boolean,
): string {
  const location = beyond === "" ? target : withPath(target, beyond);
  const withPairs = forwardQuery ? withQuery : passesUtm ? withUtm : null;
  return withPairs?.(location, path, pathEnd) ?? location;
}

/** How a link looks outside its dates, or null. Before them it looks unknown. */
export function closedAs({ startsAt, expiresAt }: SpecialLink, now: number): "expired" | "unknown" | null {
  if (expiresAt !== null && expiresAt <= now) return "expired";
  return startsAt === null || startsAt <= now ? null : "unknown";
}

/** Visitors don't learn that a link was refused. */
export const HELD_AS = {
  waiting: "waiting",
  refused: "unknown",
  taken_down: "takenDown",
} as const satisfies Record<HeldState, LostReason>;

const RETRY_SECONDS = 5;
