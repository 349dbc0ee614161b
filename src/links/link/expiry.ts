import { parseDuration } from "../../lib/duration.ts";
import { appError } from "../../lib/errors.ts";
import { LATEST_INSTANT, parseRfc3339 } from "../../lib/rfc3339.ts";

/**
 * Epoch ms. Takes RFC 3339, even past, or a duration from `now` such as `7d` or `1d2h30m`, with blanks around. Null for
 * an empty text: no expiry. @throws LinkInvalidExpireTime
 */
export function parseExpiry(text: string, now: number): number | null {
  if (text === "") return null;
  const wanted = text.trim();
  const length = parseDuration(wanted);
  if (length === 0) {
    throw appError("LinkInvalidExpireTime", "expires_at must be a duration longer than zero.");
  }
  const instant = length === null ? parseRfc3339(wanted) : now + length;
  if (instant !== null && instant <= LATEST_INSTANT) return instant;
  throw appError(
    "LinkInvalidExpireTime",
    "expires_at must be an instant such as 2026-11-20T13:00:00Z, until the year 9999, or a duration such as 7d or 1d2h30m.",
  );
}
