/**
 * CSRF proof: a page of this origin repeats the `csrf_token` cookie in `X-CSRF-Token`; other origins can't read the
 * cookie. A sibling domain could plant both, so the value is an HMAC of the session id. It never changes within a
 * session, so a refresh in one tab does not break requests of another.
 */
import { createHmac, timingSafeEqual } from "node:crypto";

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
