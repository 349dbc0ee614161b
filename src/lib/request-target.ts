/**
 * Reads the URL of a request without `new URL`: `http://host/path?query#fragment`, normalised, or the bare path
 * `/path?query` without a Host (wire/arrival.ts).
 */

/** Index of the path's first slash, or -1. */
export function pathStart(url: string): number {
  return url.charCodeAt(0) === SLASH ? 0 : url.indexOf("/", 8);
}

const SLASH = 47;
