export const HTTP_URL_MAX_BYTES = 8192;

/** They could break the Location header or a log line. */
export const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/;
/** Stricter than the URL parser, which accepts "http:host" and "http:///host". */
const SCHEME_AND_AUTHORITY = /^[hH][tT]{2}[pP][sS]?:\/\/([^/?#\\]+)/;

/** The rule in the OpenAPI document, as far as a pattern can express it. */
export const HTTP_URL_FORM = {
  format: "uri",
  pattern: String.raw`^\s*${SCHEME_AND_AUTHORITY.source.slice(1)}`,
  maxLength: HTTP_URL_MAX_BYTES,
};

/**
 * The trimmed text, not normalised, if it is an absolute http or https URL with a host and without control characters
 * and user:password; else `{error}`, a sentence.
 */
export function checkHttpUrl(text: string): string | { error: string } {
  const url = text.trim();
  if (url === "") return { error: "The URL is empty." };
  if (Buffer.byteLength(url) > HTTP_URL_MAX_BYTES) {
    return { error: `The URL is longer than ${HTTP_URL_MAX_BYTES} bytes.` };
  }
  if (!url.isWellFormed() || CONTROL_CHARACTERS.test(url)) {
    return { error: "The URL contains control characters or broken Unicode." };
  }
  const authority = SCHEME_AND_AUTHORITY.exec(url)?.[1];
  if (authority === undefined) {
    return { error: "The URL must be absolute and begin with http:// or https:// and a host." };
  }
  if (authority.includes("@")) return { error: "The URL must not contain a user name or password." };
  if (!URL.canParse(url)) return { error: "The URL's host or port is not valid." };
  return url;
}

/** `example.com.` is the host `example.com`. */
export const withoutDot = (host: string): string => host.replace(/\.$/, "");
