import { MAX_CODE_LENGTH, scanCode } from "../lib/code-hash.ts";
import type { RoutedDomain } from "../links/domains/registry.ts";

const LONGEST_ESCAPED = MAX_CODE_LENGTH * 3;

/** Index in `path`. */
export function endOfPath(path: string, start: number): number {
  for (let at = start; at < path.length; at++) {
    if (path[at] === "?" || path[at] === "#") return at;
  }
  return path.length;
}

/** Null when the path can't be a code. */
export function codeWithin(path: string, start: number, end: number): string | null {
  const code = end - start > LONGEST_ESCAPED ? "" : decodeEscapes(path.slice(start, end));
  return code !== "" && scanCode(code, 0) === code.length ? code : null;
}

/** The key of the path's code on a domain, or null. */
export function keyIn(path: string, start: number, domain: RoutedDomain | undefined): string | null {
  const end = scanCode(path, start);
  const code = end > start ? path.slice(start, end) : codeWithin(path, start, endOfPath(path, start));
  return code === null || domain === undefined ? code : domain.prefix + code;
}

/** One character per byte: a code has ASCII only, and no percent sign. */
const decodeEscapes = (path: string): string =>
  path.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
