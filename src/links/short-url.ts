/** Segments that browsers and proxies rewrite. */
const REWRITTEN = /(?:^|\/)\.{0,2}(?:\/|$)/;

/**
 * Address of a code. Its characters need no escapes, but a slash beside an empty segment, `.` or `..` gets one. Older
 * links may have such codes.
 * @param origin without a slash at the end
 */
export const shortUrl = (origin: string, code: string): string =>
  `${origin}/${REWRITTEN.test(code) ? code.replaceAll("/", "%2F") : code}`;
