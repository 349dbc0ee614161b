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

const WITH_VISIBLE_QUERY = /^([^?#]*)(\?[\x21-\x22\x24-\x7e]+)$/;

/**
 * The path as in a URL, and the query byte for byte: a URL would escape its quotes and angle brackets. Bytes above 127 are
 * escaped as they came. With blanks, control characters or a fragment it is all as in a URL.
 * @param target one character per byte
 */
export function normalisedTarget(target: string): string {
  const ascii = target.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
  const [, path, query] = WITH_VISIBLE_QUERY.exec(ascii) ?? [];
  const { pathname, search } = new URL(`http://localhost${path ?? ascii}`);
  return pathname + (query ?? search);
}
