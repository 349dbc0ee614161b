/**
 * The three cookies of a session and the one of the browser, as they are set, cleared and read. Their values are
 * base64url and dots: nothing to escape.
 */
import type { AuthConfig } from "../auth-config.ts";

export const ACCESS_COOKIE = "svc_access";
export const REFRESH_COOKIE = "svc_refresh";
export const CSRF_COOKIE = "csrf_token";
/** Outlives the session: a browser that signed out is still known when it comes back. */
export const DEVICE_COOKIE = "waymark_device";

/** Sent to the auth endpoints alone. */
const AUTH_ONLY = [REFRESH_COOKIE, DEVICE_COOKIE];

/** More cookies of one name than this are not looked at; two occur when `api.cookie_domain` was changed. */
const MOST_SAME_NAME = 4;

export type CookieValues = {
  access: string;
  /** Seconds. */
  accessMaxAge: number;
  refresh: string;
  refreshMaxAge: number;
  csrf: string;
};

/** The `Set-Cookie` values of a signed-in session. The CSRF cookie lives as long as the session can be refreshed. */
export const sessionCookies = (config: AuthConfig, values: CookieValues): string[] => [
  setCookie(config, { name: ACCESS_COOKIE, value: values.access, maxAge: values.accessMaxAge }),
  setCookie(config, { name: REFRESH_COOKIE, value: values.refresh, maxAge: values.refreshMaxAge }),
  setCookie(config, { name: CSRF_COOKIE, value: values.csrf, maxAge: values.refreshMaxAge }),
];

/** The `Set-Cookie` value of the browser's own cookie. `maxAge` is in seconds. */
export const deviceCookie = (config: AuthConfig, cookie: { value: string; maxAge: number }): string =>
  setCookie(config, { name: DEVICE_COOKIE, ...cookie });

/** The `Set-Cookie` values that remove the session's three. */
export const clearedCookies = (config: AuthConfig): string[] =>
  [ACCESS_COOKIE, REFRESH_COOKIE, CSRF_COOKIE].map((name) =>
    setCookie(config, { name, value: "", maxAge: 0 }),
  );

function setCookie(config: AuthConfig, cookie: { name: string; value: string; maxAge: number }): string {
  const path = AUTH_ONLY.includes(cookie.name) ? `${config.get("routes.admin_prefix")}/v1/auth` : "/";
  const domain = config.get("api.cookie_domain");
  return [
    `${cookie.name}=${cookie.value}`,
    `Path=${path}`,
    ...(domain === "" ? [] : [`Domain=${domain}`]),
    `Max-Age=${Math.max(0, Math.ceil(cookie.maxAge))}`,
    ...(cookie.name === CSRF_COOKIE ? [] : ["HttpOnly"]),
    ...(config.get("api.cookie_secure") ? ["Secure"] : []),
    `SameSite=${config.get("api.cookie_same_site")}`,
  ].join("; ");
}

/** All values that a `Cookie` header gives to a name, in the browser's order: a neighbour may have added one. */
export function readCookies(header: string | undefined, name: string): string[] {
  if (header === undefined) return [];
  return header
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
    .slice(0, MOST_SAME_NAME);
}
