import { ACCESS_COOKIE, DEVICE_COOKIE, readCookies, REFRESH_COOKIE } from "./cookies.ts";

type RequestHeaders = { req: { header(name: string): string | undefined } };

/** With a bearer header, cookies are ignored. */
export type AccessTokens = { from: "bearer" | "cookie" | "none"; tokens: readonly string[] };

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
