/**
 * Links that do more than redirect. The caches hold what they do instead of their target, so that one character tells
 * them apart (internal-target.ts) and other links pay nothing. The text is ASCII and shorter than the caches' limit.
 */
import { INTERNAL_SCHEME, isInternal } from "../link/internal-target.ts";
import { type LinkOptions, readOptions } from "../link/options.ts";
import { remembered } from "../../lib/remembered.ts";
import { locatedRules } from "../rules/rule.ts";
import type { FoundLink } from "./cached-link.ts";
import { toLocation } from "./location.ts";

export type SpecialLink = LinkOptions & {
  /** As a Location header, like `fallbackUrl` and the targets of `rules`. */
  target: string;
  expiresAt: number | null;
  /** A visitor must give the password. */
  isLocked: boolean;
};

const PREFIX = `${INTERNAL_SCHEME}link/`;

/** A row of `links`. */
export type LookedUp = FoundLink & { options: string | null; locked: unknown };

/** What the caches hold of a row. With a fallback, the redirect judges the expiry. */
export function cacheable<L extends LookedUp>(link: L, enforcesPasswords: boolean): L {
  const isLocked = enforcesPasswords && Boolean(link.locked);
  if ((link.options === null && !isLocked) || isInternal(link.target)) return link;
  const options = readOptions(link.options);
  const special: SpecialLink = {
    ...options,
    fallbackUrl: options.fallbackUrl === null ? null : toLocation(options.fallbackUrl),
    target: toLocation(link.target),
    rules: options.rules && locatedRules(options.rules, toLocation),
    expiresAt: link.expires_at,
    isLocked,
  };
  return {
    ...link,
    target: PREFIX + visibleJson(special),
    expires_at: options.fallbackUrl === null ? link.expires_at : null,
  };
}

/** Only texts have other characters. */
const visibleJson = (value: object): string =>
  JSON.stringify(value).replaceAll(
    /[^\x21-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** Rules take longer to parse than a redirect takes. */
const parsed = remembered((text) => JSON.parse(text) as Readonly<SpecialLink>, {
  most: 10_000,
  mostCharacters: 4_000_000,
});

export const isSpecial = (location: string): boolean => location.startsWith(PREFIX);

/** Null for other internal locations. */
export const readSpecial = (location: string): Readonly<SpecialLink> | null =>
  isSpecial(location) ? parsed(location.slice(PREFIX.length)) : null;

type FindRow = (code: string) => LookedUp | undefined | Promise<LookedUp | undefined>;

/** Stays synchronous if the database is. */
export function createLinkFinder({ findLink }: { findLink: FindRow }, enforcesPasswords: () => boolean) {
  const shown = (row: LookedUp | undefined) => row && cacheable(row, enforcesPasswords());
  return (code: string) => {
    const row = findLink(code);
    return row instanceof Promise ? row.then(shown) : shown(row);
  };
}
