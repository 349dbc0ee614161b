import { unlockCookieName } from "../visitors/cookie.ts";

/** Drop boxes at their codes. */
export const DROP_METHODS = "GET, HEAD, POST, PATCH, DELETE, OPTIONS";

/** Parameters of requests inside a share (files/shares/), and inside a drop box (files/drops/). */
const STEPS = ["file", "folder", "archive", "preview", "viewer", "download", "after", "sent", "upload"];

/**
 * Whether a request to a share belongs to a visit that was counted: a step inside it, or one after its password.
 * `pathEnd`: index in `url` where the path ends.
 */
export function continuesVisit(
  linkId: number,
  request: { headers: Pick<Headers, "get"> },
  url: string,
  pathEnd: number,
): boolean {
  if (pathEnd < url.length && hasStep(url.slice(pathEnd + 1))) return true;
  return request.headers.get("cookie")?.includes(`${unlockCookieName(linkId)}=`) ?? false;
}

function hasStep(query: string): boolean {
  const pairs = new URLSearchParams(query.replace(/#.*/s, ""));
  return STEPS.some((name) => pairs.has(name));
}
