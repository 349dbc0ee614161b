import { parseDuration } from "../lib/duration.ts";
import { appError } from "../lib/errors.ts";
import { LATEST_INSTANT, parseRfc3339 } from "../lib/rfc3339.ts";

/**
 * The instant (epoch ms) that an `expires_at` names: an RFC 3339 instant, past ones too, or a length of time from
 * `now` such as `7d` or `1d2h30m`. An empty text is null: no expiry.
 * @throws LinkInvalidExpireTime
 */
export function parseExpiry(text: string, now: number): number | null {
  if (text === "") return null;
  const length = parseDuration(text);
  const instant = length === null ? parseRfc3339(text) : now + length;
  if (instant !== null && instant <= LATEST_INSTANT) return instant;
  throw appError(
    "LinkInvalidExpireTime",
    "expires_at takes an instant such as 2026-11-20T13:00:00Z, until the year 9999, or a length of time such as 7d or 1d2h30m.",
  );
}
