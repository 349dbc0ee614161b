/**
 * Reads the URL of a request without `new URL`: a normalised `http://host/path?query`, or the bare
 * `/path?query` if there is no Host (wire/arrival.ts).
 */

/** Index of the path's first slash, or -1. */
export function pathStart(url: string): number {
  return url.charCodeAt(0) === SLASH ? 0 : url.indexOf("/", 8);
}

const SLASH = 47;

/** With one slash for slashes in a row. */
export const joinSlashes = (path: string): string => path.replace(/\/{2,}/g, "/");
