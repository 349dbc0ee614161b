import type { Arrival } from "../wire/arrival.ts";
import { unlockCookieName } from "../visitors/cookie.ts";

/** Methods at the codes of drop boxes. */
export const DROP_METHODS = "GET, HEAD, POST, PATCH, DELETE, OPTIONS";

/** Parameters of requests inside a share (files/shares/), and inside a drop box (files/drops/). */
const STEPS = ["file", "folder", "archive", "preview", "viewer", "download", "after", "sent", "upload"];

/**
 * True if a request to a share belongs to a counted visit: a step inside it, or one after its password. `pathEnd`:
 * index in `path` where the query begins.
 */
export function continuesVisit(
  linkId: number,
  { path, headers }: Pick<Arrival, "path" | "headers">,
  pathEnd: number,
): boolean {
  if (pathEnd < path.length && hasStep(path.slice(pathEnd + 1))) return true;
  return headers.get("cookie")?.includes(`${unlockCookieName(linkId)}=`) ?? false;
}

function hasStep(query: string): boolean {
  const pairs = new URLSearchParams(query);
  return STEPS.some((name) => pairs.has(name));
}
