import { isHttpUrl } from "../lib/target-url.ts";
import { toLocation } from "../links/cache/cached-link.ts";

const KEYS = new Set(["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"]);
const QUESTION_MARK = 63;

/** Longer queries are not forwarded. */
const LONGEST_QUERY = 8192;

/**
 * Appends the request's pairs of the five UTM keys to the location's query, in their order and bytes, except keys that
 * it has. The query begins at `pathEnd`. Locations of other schemes, such as mailto:, have no such keys.
 */
export const withUtm = (location: string, path: string, pathEnd: number): string =>
  path.charCodeAt(pathEnd) === QUESTION_MARK && path.includes("utm", pathEnd) && isHttpUrl(location)
    ? withPairs(location, path.slice(pathEnd + 1), (key) => KEYS.has(key))
    : location;

/** Appends all pairs in the same way. */
export function withQuery(location: string, path: string, pathEnd: number): string {
  const query = path.charCodeAt(pathEnd) === QUESTION_MARK ? path.slice(pathEnd + 1) : "";
  return query.length > LONGEST_QUERY ? location : withPairs(location, query, () => true);
}

function withPairs(location: string, query: string, isIncluded: (key: string) => boolean): string {
  const fragmentAt = location.indexOf("#");
  const target = fragmentAt < 0 ? location : location.slice(0, fragmentAt);
  const ownAt = target.indexOf("?");
  const own = new Set(
    ownAt < 0
      ? []
      : target
          .slice(ownAt + 1)
          .split("&")
          .map(keyOf),
  );
  const passed = query.split("&").filter((pair) => {
    const key = keyOf(pair);
    return pair !== "" && isIncluded(key) && !own.has(key);
  });
  if (passed.length === 0) return location;
  const isJoined = ownAt === target.length - 1 || target.endsWith("&");
  const joint = ownAt < 0 ? "?" : isJoined ? "" : "&";
  // Without a Host header, Bun leaves the query unescaped. A pair may begin like a URL.
  const pairs = toLocation(`&${passed.join("&")}`).slice(1);
  return target + joint + pairs + location.slice(target.length);
}

function keyOf(pair: string): string {
  const at = pair.indexOf("=");
  const key = (at < 0 ? pair : pair.slice(0, at)).replaceAll("+", " ");
  if (!key.includes("%")) return key;
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
