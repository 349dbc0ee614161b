/**
 * Proof that a request with cookies was made by a page of ours: the page reads the `csrf_token` cookie and repeats it
 * in the header `X-CSRF-Token`, which another site can't. A neighbour that may set cookies for our domain could plant
 * a pair of its own, so the value is an HMAC of the session's id: a planted pair fits no session but the planter's.
 * It stays the same for a session's whole life, so a refresh in one tab never spoils a request of another.
 */
import { createHmac, timingSafeEqual } from "node:crypto";

/** Base64url without padding, so without `=`. The prefix keeps it apart from what else the secret signs. */
export const csrfToken = (secret: string, sessionId: string): string =>
  createHmac("sha256", secret).update(`waymark csrf: ${sessionId}`).digest("base64url");

/** Whether the header repeats one of the cookies and belongs to the session. */
export function isCsrfProven(
  header: string | undefined,
  cookies: readonly string[],
  { secret, sessionId }: { secret: string; sessionId: string },
): boolean {
  if (header === undefined || !cookies.includes(header)) return false;
  return equalInConstantTime(header, csrfToken(secret, sessionId));
}

/** Compares secrets without telling by the time how much of them was right. */
export const equalInConstantTime = (given: string, expected: string): boolean =>
  timingSafeEqual(sha256(given), sha256(expected));

const sha256 = (text: string): Uint8Array => new Bun.CryptoHasher("sha256").update(text).digest();
