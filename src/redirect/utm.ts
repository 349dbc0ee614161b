/** Handing the campaign of a visit on to the target: the five UTM keys of the request's query, nothing else. */
import { toLocation } from "../links/cache/location.ts";

const KEYS = new Set(["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"]);
const QUESTION_MARK = 63;

/**
 * The location with the UTM pairs of the request appended to its query, before its fragment: in the order and in the
 * bytes in which they were sent. Keys that the location has already are left to it. The request's query, if there
 * is one, begins in `url` at `pathEnd`.
 */
export function withUtm(location: string, url: string, pathEnd: number): string {
  if (url.charCodeAt(pathEnd) !== QUESTION_MARK || !url.includes("utm", pathEnd)) return location;
  const query = untilFragment(url.slice(pathEnd + 1));
  const target = untilFragment(location);
  const ownAt = target.indexOf("?");
  const own = new Set(
    ownAt < 0
      ? []
      : target
          .slice(ownAt + 1)
          .split("&")
          .map(keyOf),
  );
  const passed = query.split("&").filter((pair) => KEYS.has(keyOf(pair)) && !own.has(keyOf(pair)));
  if (passed.length === 0) return location;
  const isJoined = ownAt === target.length - 1 || target.endsWith("&");
  const joint = ownAt < 0 ? "?" : isJoined ? "" : "&";
  // Without a Host, Bun gives the query as it came, perhaps with characters beyond ASCII.
  return target + joint + toLocation(passed.join("&")) + location.slice(target.length);
}

const untilFragment = (text: string): string => {
  const at = text.indexOf("#");
  return at < 0 ? text : text.slice(0, at);
};

function keyOf(pair: string): string {
  const at = pair.indexOf("=");
  const key = at < 0 ? pair : pair.slice(0, at);
  if (!key.includes("%")) return key;
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
