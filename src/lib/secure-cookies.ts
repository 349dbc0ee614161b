import { isForwardedHttps } from "./forwarded.ts";

/**
 * Whether the browser keeps a cookie with `Secure`: over HTTPS and from its own machine. `X-Forwarded-Proto` counts
 * from any peer, because only its sender sees the response. `Sec-Fetch-Site` counts, because browsers send it only
 * where they keep such cookies.
 */
export function keepsSecureCookies({ url, headers }: Pick<Request, "url" | "headers">): boolean {
  if (headers.has("sec-fetch-site") || isForwardedHttps(headers)) return true;
  const { protocol, hostname } = URL.parse(url) ?? {};
  return protocol === "https:" || isLocalHost(hostname ?? "");
}

/** Whether the name leads each machine to itself. */
export const isLocalHost = (hostname: string): boolean => LOCAL.test(hostname);

/** Empty: not a browser, which always sends a Host. */
const LOCAL = /^(?:|(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
