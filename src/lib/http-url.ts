/** What a redirect may point to: the targets of links and the address behind `/` follow this one rule. */

export const HTTP_URL_MAX_BYTES = 8192;

/** C0, DEL and C1: they could break the Location header or the log line the text ends up in. */
// oxlint-disable-next-line no-control-regex -- finding them is the point
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/;
/** Scheme, `//` and a non-empty authority, before the URL parser's leniency ("http:host", "http:///host") sets in. */
const SCHEME_AND_AUTHORITY = /^https?:\/\/([^/?#\\]+)/i;

/**
 * The text without blank ends when it is an absolute http or https URL with a host, at most 8192 bytes of UTF-8,
 * without control characters and without a user:password part; else `{error}`, a sentence that says what is wrong.
 * The text is not normalised: what is stored is what was given.
 */
export function checkHttpUrl(text: string): string | { error: string } {
  const url = text.trim();
  if (url === "") return { error: "The URL is empty." };
  if (Buffer.byteLength(url) > HTTP_URL_MAX_BYTES) {
    return { error: `The URL is longer than ${HTTP_URL_MAX_BYTES} bytes.` };
  }
  if (!url.isWellFormed() || CONTROL_CHARACTERS.test(url)) {
    return { error: "The URL holds control characters or broken Unicode." };
  }
  const authority = SCHEME_AND_AUTHORITY.exec(url)?.[1];
  if (authority === undefined) {
    return { error: "The URL must be absolute and begin with http:// or https:// and a host." };
  }
  if (authority.includes("@")) return { error: "The URL must not hold a user name or password." };
  if (!URL.canParse(url)) return { error: "The URL's host or port is not valid." };
  return url;
}
