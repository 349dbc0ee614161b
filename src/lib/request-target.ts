/**
 * What Bun makes of a request's target and Host. `request.url` is `http://host/path?query#fragment`, normalised by
 * the URL standard; but without a usable Host (HTTP/1.0 without one, an empty or an invalid one) it is the target
 * as it was sent: a bare `/path?query`. Both are read here without `new URL`.
 */

/** Where the path begins, at its slash; -1 when there is none. */
export function pathStart(url: string): number {
  // No host is shorter than one character behind "http://".
  return url.charCodeAt(0) === SLASH ? 0 : url.indexOf("/", 8);
}

const SLASH = 47;

/**
 * Whether RFC 9112 wants this request refused with 400 although Bun let it through: CONNECT, two Host headers, an
 * invalid Host. To be asked before anything else; everything behind it may rely on `pathStart`.
 */
export function isMalformed(request: Request): boolean {
  const host = request.headers.get("host");
  // Bun joins repeated headers by a comma and a blank; a single Host with a blank in it is invalid anyway.
  if (host !== null && host.includes(", ")) return true;
  if (request.method === "CONNECT") return true;
  return request.url.charCodeAt(0) === SLASH && host !== null && host !== "";
}
