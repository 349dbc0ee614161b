import { MAX_CODE_LENGTH, scanCode } from "../lib/code-hash.ts";
import type { RoutedDomain } from "../links/domains/registry.ts";

const LONGEST_ESCAPED = MAX_CODE_LENGTH * 3;

/** Index in `url`. */
export function endOfPath(url: string, start: number): number {
  for (let at = start; at < url.length; at++) {
    if (url[at] === "?" || url[at] === "#") return at;
  }
  return url.length;
}

/** Null when the path can't be a code. */
export function codeWithin(url: string, start: number, end: number): string | null {
  const code = end - start > LONGEST_ESCAPED ? "" : decodeEscapes(url.slice(start, end));
  return code !== "" && scanCode(code, 0) === code.length ? code : null;
}

/** The key of the path's code on a domain, or null. */
export function keyIn(url: string, start: number, domain: RoutedDomain | undefined): string | null {
  const end = scanCode(url, start);
  const code = end > start ? url.slice(start, end) : codeWithin(url, start, endOfPath(url, start));
  return code === null || domain === undefined ? code : domain.prefix + code;
}

/** One character per byte: a code has ASCII only, and no percent sign. */
const decodeEscapes = (path: string): string =>
  path.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
