/** Headers to which each proxy appends what it saw, separated by commas. */

export const FORWARDED_HEADERS = ["X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Prefix"] as const;
export type ForwardedHeader = (typeof FORWARDED_HEADERS)[number];

/**
 * What one proxy wrote, without blanks around it. `hop` 0 is the nearest proxy; of a shorter list the first entry is
 * returned, because some proxies replace the header. Null without an entry.
 */
export function forwardedEntry(list: string | null, hop: number): string | null {
  const entries = list?.split(",") ?? [];
  return entries[Math.max(entries.length - 1 - hop, 0)]?.trim() || null;
}

/** Whether `X-Forwarded-Proto` is HTTPS, by default in the entry of the farthest proxy. */
export const isForwardedHttps = (headers: Pick<Headers, "get">, hop = Number.POSITIVE_INFINITY): boolean =>
  forwardedEntry(headers.get("x-forwarded-proto"), hop)?.toLowerCase() === "https";

/** `/go`, or `/a/b`: plain segments without a slash at the end. */
const PREFIX = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]{1,64}){1,8}$/;

/** The path below which a proxy serves Waymark, without a slash at the end; empty unless it is plain. */
export function parseForwardedPrefix(text: string | null): string {
  const prefix = text?.replace(/\/$/, "") ?? "";
  return PREFIX.test(prefix) ? prefix : "";
}
