import { pathStart } from "../lib/request-target.ts";

/** Tests whether a request's path is at or below a prefix such as `/admin`. */
export function createRouteTest(prefixes: readonly string[]): (url: string) => boolean {
  const firsts = new Uint8Array(128);
  for (const prefix of prefixes) firsts[prefix.charCodeAt(1)] = 1;
  return (url) => {
    const start = pathStart(url);
    // Rules out most codes.
    const first = url.charCodeAt(start + 1);
    if (!(first < 128) || firsts[first] === 0) return false;
    return prefixes.some(
      (prefix) => url.startsWith(prefix, start) && endsSegment(url, start + prefix.length),
    );
  };
}

const endsSegment = (url: string, at: number): boolean => at === url.length || "/?#".includes(url[at]!);
