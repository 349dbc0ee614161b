import { INTERNAL_SCHEME, isInternal } from "../link/internal-target.ts";
import { type LinkOptions, NO_OPTIONS, readOptions } from "../link/field-values.ts";
import { compileRules, keepConditions, type Rules, visible, writeConditions } from "../rules/decide.ts";

const VISIBLE_ASCII = /^[\x21-\x7e]*$/;
const OTHERS = /[^\x21-\x7e]+/gu;
const SCHEME_AND_AUTHORITY = /^(https?:\/\/)([^/?#\\]+)/i;

/** Browsers decode it, programs ask for a host of this name. */
const ESCAPED_AUTHORITY = /^https?:\/\/[^/?#\\%]*%/i;

/** As a Location header: UTF-8 percent-encoded, the host name in Punycode. */
export function toLocation(target: string): string {
  if (VISIBLE_ASCII.test(target) && !ESCAPED_AUTHORITY.test(target)) return target;
  return target
    .toWellFormed()
    .replace(SCHEME_AND_AUTHORITY, asciiAuthority)
    .replace(OTHERS, encodeURIComponent);
}

function asciiAuthority(whole: string, scheme: string, authority: string): string {
  if (VISIBLE_ASCII.test(authority) && !authority.includes("%")) return whole;
  const url = URL.parse(whole);
  return url === null || url.username !== "" || url.password !== "" ? whole : scheme + url.host;
}

export type FoundLink = { id: number; target: string; expires_at: number | null };

/** Zero for none; the instant 0 becomes 1. */
export const expiryOrZero = (expiresAt: number | null): number => (expiresAt === null ? 0 : expiresAt || 1);

export type StoredLink = { id: number; code: string; target: string; expiresAt: number | null };

/** `location` is ASCII. */
export type CachedLink = { id: number; location: string };

/** Never rejects: while Redis is away it counts as empty. */
export type SharedLinks = {
  /** The stored link, else the result of `load`, stored unless deleted meanwhile. */
  find(
    code: string,
    load: () => FoundLink | null | undefined | Promise<FoundLink | null | undefined>,
  ): Promise<FoundLink | null | undefined>;
  /** When it resolves, `find` returns no old link. */
  delete(codes: readonly string[]): Promise<void>;
  clear(): Promise<void>;
};

/**
 * Links that do more than redirect. The caches hold what they do instead of their target, so that one character shows
 * them apart (internal-target.ts) and other links pay nothing. The text is ASCII and shorter than the caches' limit.
 */
export type SpecialLink = Omit<LinkOptions, "rules" | "clickThreshold"> & {
  rules: Rules | null;
  /** The target of each rule, like `target`. */
  ruleTargets(): readonly string[];
  /** As a Location header, like `fallbackUrl`. */
  target: string;
  expiresAt: number | null;
  /** A visitor must give the password. */
  isLocked: boolean;
};

/** What is the same for most links. */
type Rest = Omit<SpecialLink, "rules" | "ruleTargets" | "target">;

const { rules: _, clickThreshold: __, ...NO_REST }: LinkOptions = NO_OPTIONS;
const PLAIN: Rest = { ...NO_REST, expiresAt: null, isLocked: false };

/**
 * Then the lengths of the texts but the last, then the texts: the target, the conditions, the rest, the rules' targets.
 */
const PREFIX = `${INTERNAL_SCHEME}link/`;
const AFTER_LENGTH = ".";

/** A row of `links`. */
export type LookedUp = FoundLink & { options: string | null; locked: unknown };

/**
 * What the caches hold of a row. With a fallback or `forward_path`, or held, the redirect checks the expiry: even an
 * expired link decides what the paths below its code lead to.
 */
export function cacheable<L extends LookedUp>(link: L, enforcesPasswords: boolean): L {
  const isLocked = enforcesPasswords && Boolean(link.locked);
  if (link.options === null && (!isLocked || isInternal(link.target))) return link;
  const { rules, clickThreshold: _unseen, ...options } = readOptions(link.options);
  const isHeld = options.held !== null;
  if (isInternal(link.target) && !isHeld) return link;
  const isPlain = Object.entries(options).every(([name, value]) => value === PLAIN[name as keyof Rest]);
  if (rules === null && !isLocked && isPlain) return link;
  const rest: Rest = {
    ...options,
    fallbackUrl: options.fallbackUrl === null ? null : toLocation(options.fallbackUrl),
    expiresAt: link.expires_at,
    isLocked: isLocked && !isHeld,
  };
  const set = Object.entries(rest).filter(([name, value]) => value !== PLAIN[name as keyof Rest]);
  const texts = [
    toLocation(link.target),
    rules === null ? "" : writeConditions(rules),
    set.length === 0 ? "" : visible(Object.fromEntries(set)),
  ];
  const targets = rules === null ? "" : visible(rules.map((rule) => toLocation(rule.target)));
  return {
    ...link,
    target: joined(texts, targets),
    expires_at: options.fallbackUrl === null && !options.forwardPath && !isHeld ? link.expires_at : null,
  };
}

const joined = (texts: readonly string[], targets: string): string =>
  [PREFIX, ...texts.map((text) => text.length + AFTER_LENGTH), ...texts, targets].join("");

export const isSpecial = (location: string): boolean => location.startsWith(PREFIX);

/** The location for the table of this process of a target that `cacheable` gave: shared conditions are kept once. */
export function locationOf(location: string): string {
  if (!isInternal(location)) return toLocation(location);
  if (!isSpecial(location)) return location;
  const { target, conditions, rest, targets } = parts(location);
  return conditions === "" ? location : joined([target, keepConditions(conditions), rest], targets());
}

/**
 * Null for other internal locations. Nothing of a link is remembered: with many links, forgetting costs more than
 * reading. What a visit may not need is not parsed.
 */
export function readSpecial(location: string): Readonly<SpecialLink> | null {
  if (!isSpecial(location)) return null;
  const { target, conditions, rest, targets } = parts(location);
  return {
    ...PLAIN,
    ...(rest === "" ? null : (JSON.parse(rest) as Partial<Rest>)),
    target,
    rules: conditions === "" ? null : compileRules(conditions),
    ruleTargets: () => JSON.parse(targets()) as string[],
  };
}

function parts(location: string) {
  let at = PREFIX.length;
  const length = (): number => {
    const from = at;
    at = location.indexOf(AFTER_LENGTH, from) + 1;
    return Number(location.slice(from, at - 1));
  };
  const [ofTarget, ofConditions, ofRest] = [length(), length(), length()];
  const text = (size: number): string => location.slice(at, (at += size));
  const [target, conditions, rest] = [text(ofTarget), text(ofConditions), text(ofRest)];
  return { target, conditions, rest, targets: () => location.slice(at) };
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
