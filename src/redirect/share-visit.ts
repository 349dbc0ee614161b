import type { Arrival } from "../platform/wire/arrival.ts";
import { unlockCookieName } from "../visitors/cookie.ts";

/** Methods at the codes of drop boxes. */
export const DROP_METHODS = "GET, HEAD, POST, PATCH, DELETE, OPTIONS";

/** Parameters of requests inside a share (files/shares/), and inside a drop box (files/drops/). */
const STEPS = [
  "file",
  "folder",
  "archive",
  "preview",
  "thumbnail",
  "viewer",
  "download",
  "after",
  "sent",
  "upload",
  "proved",
];

type VisitRequest = Pick<Arrival, "path" | "headers">;

/**
 * True if a request to a share belongs to a counted visit: a step inside it, or one after its password. `pathEnd`:
 * index in `path` where the query begins.
 */
export function continuesVisit(linkId: number, request: VisitRequest, pathEnd: number): boolean {
  if (isShareStep(request, pathEnd)) return true;
  return request.headers.get("cookie")?.includes(`${unlockCookieName(linkId)}=`) ?? false;
}

/** A request from inside a share or drop box, or for a later part of a download. */
export function isShareStep({ path, headers }: VisitRequest, pathEnd: number): boolean {
  if (LATER_PART.test(headers.get("range") ?? "")) return true;
  if (pathEnd >= path.length) return false;
  const pairs = new URLSearchParams(path.slice(pathEnd + 1));
  return STEPS.some((name) => pairs.has(name));
}

/** Players and download managers try the first byte or two before they begin. */
const LATER_PART = /^bytes=(?:-|0*[1-9]|0+-[01]$)/i;
