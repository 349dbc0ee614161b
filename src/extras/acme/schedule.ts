/** When certificates are ordered: renewals, and tries after failures. Times are epoch milliseconds. */
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const FIRST_PAUSE_MS = 5 * MINUTE_MS;
const LONGEST_PAUSE_MS = 6 * HOUR_MS;
/** Between two questions about renewal, unless the authority says when. */
const ASK_EVERY_MS = { least: HOUR_MS, usual: 12 * HOUR_MS, most: 48 * HOUR_MS };

/** After two thirds of its life. */
export const renewAt = (notBefore: number, notAfter: number): number =>
  Math.round(notBefore + ((notAfter - notBefore) * 2) / 3);

/**
 * The next try after so many failures in a row: 5 minutes, 10, 20 … 6 hours, plus up to a tenth. Within an hour these
 * are four, of the five refused challenges that Let's Encrypt allows for a host.
 *
 * @param retryAt what the authority says; null: nothing
 */
export function nextTry(failures: number, now: number, retryAt: number | null, random = Math.random): number {
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 20), LONGEST_PAUSE_MS);
  return Math.max(Math.round(now + pause * (1 + random() / 10)), retryAt ?? 0);
}

/** Administrators get a mail after the third failure, then about once a week. */
export const isReported = (failures: number): boolean =>
  failures === 3 || (failures > 3 && failures % 28 === 0);

/** A time in the window that the authority suggests (RFC 9773, section 4.2). One that is in it already stays. */
export function suggestedRenewal(
  current: number,
  { start, end }: { start: number; end: number },
  random = Math.random,
): number {
  return current >= start && current <= end ? current : Math.round(start + (end - start) * random());
}

export const nextQuestion = (now: number, askAt: number | null): number =>
  Math.min(Math.max(askAt ?? now + ASK_EVERY_MS.usual, now + ASK_EVERY_MS.least), now + ASK_EVERY_MS.most);
