/** URLs to which links lead: http and https, and those of further schemes that an administrator permits. */
import { asciiLower } from "./ascii-lower.ts";
import { checkHttpUrl, CONTROL_CHARACTERS, HTTP_URL_MAX_BYTES } from "./http-url.ts";

const SCHEME = /^[a-z][a-z0-9+.-]{0,31}$/;
const SCHEME_OF_URL = /^([a-zA-Z][a-zA-Z0-9+.-]*):/;

/** The rule in the OpenAPI document, as far as a pattern can express it. */
export const TARGET_URL_FORM = {
  format: "uri",
  pattern: String.raw`^\s*[a-zA-Z][a-zA-Z0-9+.\-]*:`,
  maxLength: HTTP_URL_MAX_BYTES,
};

/** They run a script in the page, read files of the visitor, or show what no address names. */
const DANGEROUS = new Set([
  "about",
  "blob",
  "chrome",
  "data",
  "file",
  "filesystem",
  "jar",
  "javascript",
  "jscript",
  "livescript",
  "mhtml",
  "mocha",
  "resource",
  "vbscript",
  "view-source",
]);
/** They have a meaning of ours in stored targets and rules. */
const OWN = new Set(["waymark", "share"]);

/** In lower case, or `{error}`, a sentence without its end. */
export function checkScheme(text: string): string | { error: string } {
  const scheme = asciiLower(text.trim().replace(/:(?:\/\/)?$/, ""));
  if (!SCHEME.test(scheme)) return { error: "a list of schemes such as mailto or tel" };
  if (scheme === "http" || scheme === "https") {
    return { error: "a list of schemes besides http and https, which links always may have" };
  }
  if (DANGEROUS.has(scheme)) return { error: `a list of schemes without ${scheme}, which is never safe` };
  if (OWN.has(scheme)) return { error: `a list of schemes without ${scheme}, which Waymark itself uses` };
  return scheme;
}

/** The scheme of an absolute URL, in lower case; empty for other texts. */
const schemeOf = (url: string): string => asciiLower(SCHEME_OF_URL.exec(url)?.[1] ?? "");

export const isHttpUrl = (url: string): boolean => /^https?$/.test(schemeOf(url));

/** As checkHttpUrl, also for the schemes, which `checkScheme` returned. */
export function checkTargetUrl(text: string, schemes: readonly string[]): string | { error: string } {
  const url = text.trim();
  const scheme = schemeOf(url);
  if (!schemes.includes(scheme) || typeof checkScheme(scheme) !== "string") {
    const checked = checkHttpUrl(url);
    if (typeof checked === "string" || schemes.length === 0 || isHttpUrl(url) || url === "") return checked;
    const also = schemes.map((one) => `${one}:`).join(", ");
    return { error: `The URL must begin with http:// or https:// and a host, or with one of ${also}.` };
  }
  if (Buffer.byteLength(url) > HTTP_URL_MAX_BYTES) {
    return { error: `The URL is longer than ${HTTP_URL_MAX_BYTES} bytes.` };
  }
  if (!url.isWellFormed() || CONTROL_CHARACTERS.test(url)) {
    return { error: "The URL contains control characters or broken Unicode." };
  }
  const parsed = URL.parse(url);
  if (parsed === null || /^[^:]+:\/*$/.test(url)) {
    return { error: `The URL is not complete: write what follows ${scheme}:.` };
  }
  if (parsed.username !== "" || parsed.password !== "") {
    return { error: "The URL must not contain a user name or password." };
  }
  return url;
}
