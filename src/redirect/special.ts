/**
 * Links that do more than a plain redirect (links/cache/special-link.ts). Dates are judged first, then the limit, so no
 * use is spent on a visitor who may not pass. A click counts when its visitor is sent to the target, or gets the page
 * for automated visitors.
 */
import type { CachedLink } from "../links/cache/cached-link.ts";
import { readSpecial, type SpecialLink } from "../links/cache/special-link.ts";
import type { RedirectStatus } from "../links/link-options.ts";
import { withQuery, withUtm } from "./utm.ts";
import { peoplePage } from "./people-page.ts";

export type SpecialVisit = {
  request: Request;
  url: string;
  /** Index in `url` where the path ends. */
  pathEnd: number;
  now: number;
};

export type SpecialOutcome =
  | { kind: "target"; location: string; status: RedirectStatus }
  /** To the fallback. */
  | { kind: "elsewhere"; location: string }
  | { kind: "missing" }
  /** For an automated visitor of a link with a limit. */
  | { kind: "page"; response: Response };

export type Specials = {
  /** Null for a link that serves something else. Throws or rejects if the database fails. */
  follow(link: CachedLink, visit: SpecialVisit): SpecialOutcome | Promise<SpecialOutcome> | null;
};

type Deps = {
  uses: { take(linkId: number): Promise<boolean> };
  automated: { includes(request: Request): boolean };
  passUtm(): boolean;
};

export function createSpecials({ uses, automated, passUtm }: Deps): Specials {
  function toTarget(
    { target, redirectStatus, forwardQuery }: SpecialLink,
    visit: SpecialVisit,
  ): SpecialOutcome {
    const { url, pathEnd } = visit;
    const withPairs = forwardQuery ? withQuery : passUtm() ? withUtm : null;
    return { kind: "target", location: withPairs?.(target, url, pathEnd) ?? target, status: redirectStatus };
  }

  return {
    follow({ id, location }, visit) {
      const link = readSpecial(location);
      if (link === null) return null;
      if (!isOpen(link, visit.now)) return instead(link);
      if (link.maxClicks === null) return toTarget(link, visit);
      if (automated.includes(visit.request))
        return { kind: "page", response: peoplePage(visit.request.method) };
      return uses.take(id).then((mayPass) => (mayPass ? toTarget(link, visit) : instead(link)));
    },
  };
}

const isOpen = ({ startsAt, expiresAt }: SpecialLink, now: number): boolean =>
  (startsAt === null || startsAt <= now) && (expiresAt === null || expiresAt > now);

const instead = ({ fallbackUrl }: SpecialLink): SpecialOutcome =>
  fallbackUrl === null ? { kind: "missing" } : { kind: "elsewhere", location: fallbackUrl };
