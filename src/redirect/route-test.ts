/** Which requests are not the redirect's: paths at and below the prefixes of the endpoints and the panel. */
import { pathStart } from "../lib/request-target.ts";

/**
 * Makes the test whether the path of `request.url` is, or lies below, one of the prefixes (`/admin`, `/files`),
 * which begin with a slash. It is asked first for every request, so it is cheap.
 */
export function createRouteTest(prefixes: readonly string[]): (url: string) => boolean {
  const firsts = new Uint8Array(128);
  for (const prefix of prefixes) firsts[prefix.charCodeAt(1)] = 1;
  return (url) => {
    const start = pathStart(url);
    // Most codes differ from all prefixes in their first character.
    const first = url.charCodeAt(start + 1);
    if (!(first < 128) || firsts[first] === 0) return false;
    return prefixes.some(
      (prefix) => url.startsWith(prefix, start) && endsSegment(url, start + prefix.length),
    );
  };
}

const endsSegment = (url: string, at: number): boolean => at === url.length || "/?#".includes(url[at]!);
