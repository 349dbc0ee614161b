import { parseDuration } from "../../lib/duration.ts";
import { appError } from "../../lib/errors.ts";
import { LATEST_INSTANT, parseRfc3339 } from "../../lib/rfc3339.ts";

export const INSTANT_FORM =
  "an instant such as 2026-11-20T13:00:00Z, until the year 9999, or a duration such as 7d or 1d2h30m";

/** Epoch ms. Takes RFC 3339, even past, or a duration from `now`, with blanks around. Null for other texts. */
export function instantOf(text: string, now: number): number | null {
  const length = parseDuration(text.trim());
  const instant = length === null ? parseRfc3339(text.trim()) : now + length;
  return instant !== null && instant <= LATEST_INSTANT ? instant : null;
}

/** As instantOf. Null for an empty text: no expiry. @throws LinkInvalidExpireTime */
export function parseExpiry(text: string, now: number): number | null {
  if (text === "") return null;
  if (parseDuration(text.trim()) === 0) {
    throw appError("LinkInvalidExpireTime", "expires_at must be a duration longer than zero.");
  }
  const instant = instantOf(text, now);
  if (instant === null) throw appError("LinkInvalidExpireTime", `expires_at must be ${INSTANT_FORM}.`);
  return instant;
}
