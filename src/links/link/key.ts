/**
 * The key of a link in `links.code`, the caches and the change feed. On the default domain it is the code. On another
 * one a prefix of control characters, which no code has, names the domain: keys sort after all codes of the default
 * domain, and each domain's keys are one range.
 */

import { asciiLower } from "../../lib/ascii-lower.ts";

/** Serves every Host that no other domain has. */
export const DEFAULT_DOMAIN = 0;

export const PREFIX_MARK = "\x7f";
/** Digits of the domain's id as control characters. */
const FIRST_DIGIT = 0x10;

export const keyOf = (domain: number, code: string): string => prefixOf(domain) + code;

/** Empty for the default domain. */
export function prefixOf(domain: number): string {
  if (domain === DEFAULT_DOMAIN) return "";
  const digits = [...String(domain)].map((digit) => String.fromCharCode(FIRST_DIGIT + Number(digit)));
  return PREFIX_MARK + digits.join("") + PREFIX_MARK;
}

export const codeOf = (key: string): string =>
  key.startsWith(PREFIX_MARK) ? key.slice(endOfPrefix(key)) : key;

export function domainOf(key: string): number {
  if (!key.startsWith(PREFIX_MARK)) return DEFAULT_DOMAIN;
  const digits = Array.from(key.slice(1, endOfPrefix(key) - 1), (char) => char.charCodeAt(0) - FIRST_DIGIT);
  return Number(digits.join(""));
}

/** The key of a code or key on a domain that compares codes without case. Prefixes have no letters. */
export const foldKey = (key: string): string => asciiLower(key);

const endOfPrefix = (key: string): number => key.indexOf(PREFIX_MARK, 1) + 1;

/** Keys of the domain: `from` ≤ key < `to`. */
export function keysOf(domain: number): { from: string; to: string } {
  const prefix = prefixOf(domain);
  // A server may compare as if blanks, which precede digits, followed the shorter text.
  return prefix === "" ? { from: "", to: `${PREFIX_MARK}\x01` } : { from: prefix, to: `${prefix}\x7f` };
}
