const VISIBLE_ASCII = /^[\x21-\x7e]*$/;
const OTHERS = /[^\x21-\x7e]+/gu;
const SCHEME_AND_AUTHORITY = /^(https?:\/\/)([^/?#\\]+)/i;

/** Browsers decode it, programs ask for a host of this name. */
const ESCAPED_AUTHORITY = /^https?:\/\/[^/?#\\%]*%/i;

/** As a Location header: UTF-8 percent-encoded, the host name in Punycode. */
export function toLocation(target: string): string {
  if (VISIBLE_ASCII.test(target) && !ESCAPED_AUTHORITY.test(target)) return target;
  return target
    .toWellFormed()
    .replace(SCHEME_AND_AUTHORITY, asciiAuthority)
    .replace(OTHERS, encodeURIComponent);
}

function asciiAuthority(whole: string, scheme: string, authority: string): string {
  if (VISIBLE_ASCII.test(authority) && !authority.includes("%")) return whole;
  const url = URL.parse(whole);
  return url === null || url.username !== "" || url.password !== "" ? whole : scheme + url.host;
}
