/** Values are base64url and dots, so nothing needs escaping. */
import type { AuthConfig } from "../auth-config.ts";
import type { SignedIn } from "./signing.ts";

export const ACCESS_COOKIE = "svc_access";
export const REFRESH_COOKIE = "svc_refresh";
export const CSRF_COOKIE = "csrf_token";
/** Outlives the session, so a browser that signed out is still known. */
export const DEVICE_COOKIE = "waymark_device";

/** Between the start and the end of a sign-in by OpenID Connect. */
export const OIDC_COOKIE = "waymark_oidc";

/** Sent only to the auth endpoints. */
const AUTH_ONLY = [REFRESH_COOKIE, DEVICE_COOKIE, OIDC_COOKIE];

/** A change of `api.cookie_domain` leaves two of a name. */
const MOST_SAME_NAME = 4;

/** The CSRF cookie lives as long as the refresh cookie. */
export const sessionCookies = (config: AuthConfig, values: Omit<SignedIn, "account">): string[] => [
  setCookie(config, { name: ACCESS_COOKIE, value: values.access, maxAge: values.accessMaxAge }),
  setCookie(config, { name: REFRESH_COOKIE, value: values.refresh, maxAge: values.refreshMaxAge }),
  setCookie(config, { name: CSRF_COOKIE, value: values.csrf, maxAge: values.refreshMaxAge }),
];

export const deviceCookie = (config: AuthConfig, cookie: { value: string; maxAge: number }): string =>
  setCookie(config, { name: DEVICE_COOKIE, ...cookie });

/** The provider leads back from another site, so `Strict` would lose it. */
export const oidcCookie = (config: AuthConfig, cookie: { value: string; maxAge: number }): string =>
  setCookie(config, { name: OIDC_COOKIE, ...cookie }, "Lax");

export const clearedCookies = (config: AuthConfig): string[] =>
  [ACCESS_COOKIE, REFRESH_COOKIE, CSRF_COOKIE].map((name) =>
    setCookie(config, { name, value: "", maxAge: 0 }),
  );

function setCookie(
  config: AuthConfig,
  cookie: { name: string; value: string; maxAge: number },
  sameSite: string = config.get("api.cookie_same_site"),
): string {
  const path = AUTH_ONLY.includes(cookie.name) ? `${config.get("routes.admin_prefix")}/v1/auth` : "/";
  const domain = config.get("api.cookie_domain");
  return [
    `${cookie.name}=${cookie.value}`,
    `Path=${path}`,
    ...(domain === "" ? [] : [`Domain=${domain}`]),
    `Max-Age=${Math.max(0, Math.ceil(cookie.maxAge))}`,
    ...(cookie.name === CSRF_COOKIE ? [] : ["HttpOnly"]),
    ...(config.get("api.cookie_secure") ? ["Secure"] : []),
    `SameSite=${sameSite}`,
  ].join("; ");
}

/** In the browser's order. Another site of the domain may have added one. */
export function readCookies(header: string | undefined, name: string): string[] {
  if (header === undefined) return [];
  return header
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
    .slice(0, MOST_SAME_NAME);
}
