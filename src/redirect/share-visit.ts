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
  if (isShareStep(path, pathEnd)) return true;
  return headers.get("cookie")?.includes(`${unlockCookieName(linkId)}=`) ?? false;
}

/** A request from inside a share or drop box. */
export function isShareStep(path: string, pathEnd: number): boolean {
  if (pathEnd >= path.length) return false;
  const pairs = new URLSearchParams(path.slice(pathEnd + 1));
  return STEPS.some((name) => pairs.has(name));
}
