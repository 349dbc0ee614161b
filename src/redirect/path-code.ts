import { MAX_CODE_LENGTH, scanCode } from "../lib/code-hash.ts";
import type { Domains, RoutedDomain } from "../links/domains/registry.ts";
import { foldKey } from "../links/link/key.ts";
import { pathStart } from "../lib/request-target.ts";

const LONGEST_ESCAPED = MAX_CODE_LENGTH * 3;

/** Index of the code in a path, after the slash. */
export const CODE_START = 1;

/** Where the query begins. */
export function endOfPath(path: string): number {
  const at = path.indexOf("?");
  return at < 0 ? path.length : at;
}

/** The code in a path; null if it can't be one. */
export function codeWithin(path: string, end: number): string | null {
  const code = end - CODE_START > LONGEST_ESCAPED ? "" : decodeEscapes(path.slice(CODE_START, end));
  return code !== "" && scanCode(code, 0) === code.length ? code : null;
}

/** Which domain a request is for, and how it compares codes. */
export type PathDomains = Pick<Domains, "of" | "ignoresCase">;

/** The key of the path's code on a domain, or null. */
export function keyIn(path: string, domain: RoutedDomain | undefined, ignoresCase: boolean): string | null {
  const end = scanCode(path, CODE_START);
  const code = end > CODE_START ? path.slice(CODE_START, end) : codeWithin(path, endOfPath(path));
  return code === null ? null : keyOfCode(code, domain, ignoresCase);
}

export function keyOfCode(code: string, domain: RoutedDomain | undefined, ignoresCase: boolean): string {
  const key = domain === undefined ? code : domain.prefix + code;
  return ignoresCase ? foldKey(key) : key;
}

export function hasCapital(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 65 && unit <= 90) return true;
  }
  return false;
}

/** One character per byte: a code has ASCII only, and no percent sign. */
const decodeEscapes = (path: string): string =>
  path.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** Tests whether a request's path is at or below a prefix such as `/admin`. */
export function createRouteTest(prefixes: readonly string[]): (url: string) => boolean {
  const byFirst: (string[] | null)[] = Array.from({ length: 128 }, () => null);
  for (const prefix of prefixes) (byFirst[prefix.charCodeAt(1)] ??= []).push(prefix);
  return (url) => {
    const start = pathStart(url);
    // Rules out most codes.
    const first = url.charCodeAt(start + 1);
    const candidates = first < 128 ? byFirst[first]! : null;
    if (candidates === null) return false;
    for (const prefix of candidates) {
      // A comparison of texts costs ten times that of a character.
      if (prefix.length > 2 && url.charCodeAt(start + 2) !== prefix.charCodeAt(2)) continue;
      if (url.startsWith(prefix, start) && endsSegment(url, start + prefix.length)) return true;
    }
    return false;
  };
}

const endsSegment = (url: string, at: number): boolean =>
  at === url.length || url[at] === "/" || url[at] === "?";
