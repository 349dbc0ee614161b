import { pathStart } from "../lib/request-target.ts";

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
