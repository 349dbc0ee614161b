/**
 * Reads `request.url` without `new URL`. Bun gives `http://host/path?query#fragment`, normalised, or the bare target
 * `/path?query` if Host is missing or invalid.
 */

/** Index of the path's first slash, or -1. */
export function pathStart(url: string): number {
  return url.charCodeAt(0) === SLASH ? 0 : url.indexOf("/", 8);
}

const SLASH = 47;

/**
 * RFC 9112 requires 400 where Bun does not: CONNECT, two Host headers, an invalid Host. Check it before `pathStart`.
 */
export function isMalformed(request: Request): boolean {
  const host = request.headers.get("host");
  // Bun joins repeated headers with ", ". A single Host with a blank is invalid too.
  if (host !== null && host.includes(", ")) return true;
  if (request.method === "CONNECT") return true;
  return request.url.charCodeAt(0) === SLASH && host !== null && host !== "";
}
