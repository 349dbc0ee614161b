/** Values are base64url and dots, so nothing needs escaping. */
import type { Config } from "../../platform/config/config.service.ts";
import type { SignedIn } from "./session.ts";
import { createHmac, timingSafeEqual } from "node:crypto";

export const ACCESS_COOKIE = "svc_access";
const REFRESH_COOKIE = "svc_refresh";
export const CSRF_COOKIE = "csrf_token";
/** Outlives the session, so a browser that signed out is still known. */
const DEVICE_COOKIE = "waymark_device";

/** Between the start and the end of a sign-in by OpenID Connect. */
export const OIDC_COOKIE = "waymark_oidc";

/** Sent only to the auth endpoints. */
const AUTH_ONLY = [REFRESH_COOKIE, DEVICE_COOKIE, OIDC_COOKIE];

/** A change of `api.cookie_domain` leaves two of a name. */
const MOST_SAME_NAME = 4;

/** The CSRF cookie lives as long as the refresh cookie. */
export const sessionCookies = (config: Config, values: Omit<SignedIn, "account">): string[] => [
  setCookie(config, { name: ACCESS_COOKIE, value: values.access, maxAge: values.accessMaxAge }),
  setCookie(config, { name: REFRESH_COOKIE, value: values.refresh, maxAge: values.refreshMaxAge }),
  setCookie(config, { name: CSRF_COOKIE, value: values.csrf, maxAge: values.refreshMaxAge }),
];

export const deviceCookie = (config: Config, cookie: { value: string; maxAge: number }): string =>
  setCookie(config, { name: DEVICE_COOKIE, ...cookie });

/** The provider leads back from another site, so `Strict` would lose it. */
export const oidcCookie = (config: Config, cookie: { value: string; maxAge: number }): string =>
  setCookie(config, { name: OIDC_COOKIE, ...cookie }, "Lax");

export const clearedCookies = (config: Config): string[] =>
  [ACCESS_COOKIE, REFRESH_COOKIE, CSRF_COOKIE].map((name) =>
    setCookie(config, { name, value: "", maxAge: 0 }),
  );

function setCookie(
  config: Config,
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

/** The values of a cookie in the browser's order. Another site of the domain may have added one. */
export function readCookies(header: string | undefined, name: string): string[] {
  if (header === undefined) return [];
  return header
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
    .slice(0, MOST_SAME_NAME);
}

type RequestHeaders = { req: { header(name: string): string | undefined } };

/** With a bearer header, cookies are ignored. */
type AccessTokens = { from: "bearer" | "cookie" | "none"; tokens: readonly string[] };

export function accessTokens(c: RequestHeaders): AccessTokens {
  const bearer = bearerToken(c);
  if (bearer !== null) return { from: "bearer", tokens: [bearer] };
  const tokens = readCookies(c.req.header("Cookie"), ACCESS_COOKIE);
  return { from: tokens.length > 0 ? "cookie" : "none", tokens };
}

/** Empty when the header has none; null without such a header. */
export function bearerToken(c: RequestHeaders): string | null {
  const value = c.req.header("Authorization") ?? "";
  if (!/^Bearer(?:\s|$)/i.test(value)) return null;
  const token = value.slice("Bearer".length).trim();
  return /\s/.test(token) ? null : token;
}

export const refreshTokens = (c: RequestHeaders): string[] =>
  readCookies(c.req.header("Cookie"), REFRESH_COOKIE);

export const deviceTokens = (c: RequestHeaders): string[] =>
  readCookies(c.req.header("Cookie"), DEVICE_COOKIE);

/**
 * CSRF proof: a page of this origin repeats the `csrf_token` cookie in `X-CSRF-Token`; other origins can't read the
 * cookie. A sibling domain could plant both, so the value is an HMAC of the session id. It never changes within a
 * session, so a refresh in one tab does not break requests of another.
 */
export const CSRF_HEADER = "X-CSRF-Token";

/** Base64url without padding. The prefix separates it from other uses of the secret. */
export const csrfToken = (secret: string, sessionId: string): string =>
  createHmac("sha256", secret).update(`waymark csrf: ${sessionId}`).digest("base64url");

/** The header must equal one of the cookies and belong to the session. */
export function isCsrfProven(
  header: string | undefined,
  cookies: readonly string[],
  { secret, sessionId }: { secret: string; sessionId: string },
): boolean {
  if (header === undefined || !cookies.includes(header)) return false;
  return equalInConstantTime(header, csrfToken(secret, sessionId));
}

export const equalInConstantTime = (given: string, expected: string): boolean =>
  timingSafeEqual(sha256(given), sha256(expected));

const sha256 = (text: string): Uint8Array => new Bun.CryptoHasher("sha256").update(text).digest();
