/** Segments that browsers and proxies rewrite. */
const REWRITTEN = /(?:^|\/)\.{0,2}(?:\/|$)/;

/**
 * Address of a code on a domain, with the scheme of the default one and no port. The code's characters need no escapes,
 * but a slash beside an empty segment, `.` or `..`, as older links may have, gets one.
 * @param origin of the default domain, without a slash at the end. `host`: null for the default domain
 */
export function shortUrl(origin: string, host: string | null, code: string): string {
  const base = host === null ? origin : `${origin.slice(0, origin.indexOf("://"))}://${host}`;
  return `${base}/${REWRITTEN.test(code) ? code.replaceAll("/", "%2F") : code}`;
}
