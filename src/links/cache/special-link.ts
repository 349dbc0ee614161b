/**
 * Links that do more than redirect. The caches hold what they do instead of their target, so that one character tells
 * them apart (internal-target.ts) and other links pay nothing. The text is ASCII and shorter than the caches' limit.
 */
import { INTERNAL_SCHEME, isInternal } from "../link/internal-target.ts";
import { type LinkOptions, readOptions } from "../link/options.ts";
import type { FoundLink } from "./cached-link.ts";
import { toLocation } from "./location.ts";

export type SpecialLink = LinkOptions & {
  /** As a Location header, like `fallbackUrl`. */
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
    expiresAt: link.expires_at,
    isLocked,
  };
  return {
    ...link,
    target: PREFIX + JSON.stringify(special),
    expires_at: options.fallbackUrl === null ? link.expires_at : null,
  };
}

export const isSpecial = (location: string): boolean => location.startsWith(PREFIX);

/** Null for other internal locations. */
export const readSpecial = (location: string): SpecialLink | null =>
  isSpecial(location) ? (JSON.parse(location.slice(PREFIX.length)) as SpecialLink) : null;

type FindRow = (code: string) => LookedUp | undefined | Promise<LookedUp | undefined>;

/** Stays synchronous if the database is. */
export function createLinkFinder({ findLink }: { findLink: FindRow }, enforcesPasswords: () => boolean) {
  const shown = (row: LookedUp | undefined) => row && cacheable(row, enforcesPasswords());
  return (code: string) => {
    const row = findLink(code);
    return row instanceof Promise ? row.then(shown) : shown(row);
  };
}
