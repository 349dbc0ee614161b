/**
 * Links that do more than redirect. The caches hold what they do instead of their target, so that one character tells
 * them apart (internal-target.ts) and other links pay nothing. The text is ASCII and shorter than the caches' limit.
 */
import { INTERNAL_SCHEME, isInternal } from "../link/internal-target.ts";
import { type LinkOptions, readOptions } from "../link/options.ts";
import { type CompiledRule, compileRules, writeConditions } from "../rules/decide.ts";
import type { FoundLink } from "./cached-link.ts";
import { toLocation } from "./location.ts";

export type SpecialLink = Omit<LinkOptions, "rules"> & {
  rules: readonly CompiledRule[] | null;
  /** As a Location header, like `fallbackUrl` and the targets of `rules`. */
  target: string;
  expiresAt: number | null;
  /** A visitor must give the password. */
  isLocked: boolean;
};

/** What the link does, then the conditions of each of its rules. */
type Stored = Omit<SpecialLink, "rules"> & { targets: readonly string[] | null };

const PREFIX = `${INTERNAL_SCHEME}link/`;
const SEPARATOR = "~";

/** A row of `links`. */
export type LookedUp = FoundLink & { options: string | null; locked: unknown };

/** What the caches hold of a row. With a fallback, the redirect judges the expiry. */
export function cacheable<L extends LookedUp>(link: L, enforcesPasswords: boolean): L {
  const isLocked = enforcesPasswords && Boolean(link.locked);
  if ((link.options === null && !isLocked) || isInternal(link.target)) return link;
  const { rules, ...options } = readOptions(link.options);
  const special: Stored = {
    ...options,
    fallbackUrl: options.fallbackUrl === null ? null : toLocation(options.fallbackUrl),
    target: toLocation(link.target),
    expiresAt: link.expires_at,
    isLocked,
    targets: rules && rules.map((rule) => toLocation(rule.target)),
  };
  const texts = [JSON.stringify(special), ...writeConditions(rules ?? [])];
  return {
    ...link,
    target: PREFIX + texts.map(visible).join(SEPARATOR),
    expires_at: options.fallbackUrl === null ? link.expires_at : null,
  };
}

/** Of JSON: only its strings have other characters. */
const visible = (json: string): string =>
  json.replaceAll(/[^\x21-\x7d]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

export const isSpecial = (location: string): boolean => location.startsWith(PREFIX);

/**
 * Null for other internal locations. Nothing of a link is remembered: with many links, forgetting costs more than
 * parsing. Equal conditions are (decide.ts).
 */
export function readSpecial(location: string): Readonly<SpecialLink> | null {
  if (!isSpecial(location)) return null;
  const [first, ...conditions] = location.slice(PREFIX.length).split(SEPARATOR);
  const { targets, ...link } = JSON.parse(first!) as Stored;
  return { ...link, rules: targets && compileRules(conditions, targets) };
}

type FindRow = (code: string) => LookedUp | undefined | Promise<LookedUp | undefined>;

/** Stays synchronous if the database is. */
export function createLinkFinder({ findLink }: { findLink: FindRow }, enforcesPasswords: () => boolean) {
  const shown = (row: LookedUp | undefined) => row && cacheable(row, enforcesPasswords());
  return (code: string) => {
    const row = findLink(code);
    return row instanceof Promise ? row.then(shown) : shown(row);
  };
}
