/**
 * Whether a browser keeps a cookie with `Secure` that the answer sets: over HTTPS and from its own machine. A proxy says
 * `X-Forwarded-Proto`; it counts from any peer, because only its sender sees the answer. Browsers send `Sec-Fetch-Site`
 * only where they keep such cookies, so it counts too.
 */
export function keepsSecureCookies({ url, headers }: Pick<Request, "url" | "headers">): boolean {
  if (headers.has("sec-fetch-site") || headers.get("x-forwarded-proto") === "https") return true;
  const { protocol, hostname } = URL.parse(url) ?? {};
  return protocol === "https:" || LOCAL.test(hostname ?? "");
}

/** Empty: no browser, which always sends a Host. */
const LOCAL = /^(?:|(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
