/** Milliseconds from the seconds or the HTTP date of Retry-After (RFC 9110), at most `mostMs`; null without either. */
export function parseRetryAfter(given: string | null, now: number, mostMs: number): number | null {
  if (given === null || given.length > 40) return null;
  const date = given.endsWith(" GMT") ? Date.parse(given) : Number.NaN;
  const ms = /^\d{1,15}$/.test(given) ? Number(given) * 1_000 : date - now;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), mostMs) : null;
}
