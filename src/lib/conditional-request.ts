/** Conditional requests (RFC 9110, section 13) with a strong ETag and a time. */
export type Validators = {
  /** With quotes. */
  etag: string;
  /** Epoch milliseconds, compared in whole seconds. */
  modifiedAt: number;
  /** When the content came here, if modifiedAt is a time from elsewhere, which may go back or be in the future. */
  storedAt?: number;
};

type RequestHeader = (name: string) => string | undefined;

/** True: respond with 412. If-Match has precedence. */
export function isPreconditionFailed(header: RequestHeader, validators: Validators): boolean {
  const tags = header("If-Match");
  if (tags !== undefined) return tags.trim() !== "*" && !strongTagsIn(tags).includes(validators.etag);
  const since = httpDate(header("If-Unmodified-Since"));
  return since !== null && !isUnchanged(validators, since);
}

/** True: respond with 304. If-None-Match has precedence. */
export function isNotModified(header: RequestHeader, validators: Validators): boolean {
  const tags = header("If-None-Match");
  if (tags !== undefined) return tags.trim() === "*" || tagsIn(tags).includes(validators.etag);
  const since = httpDate(header("If-Modified-Since"));
  return since !== null && isUnchanged(validators, since);
}

/** Since the time that the client was shown, or since another one. */
const isUnchanged = ({ modifiedAt, storedAt = modifiedAt }: Validators, since: number): boolean =>
  toSecond(modifiedAt) === since || toSecond(storedAt) <= since;

/** If-Range, if given, must match exactly. */
export function isRangeCurrent(header: RequestHeader, { etag, modifiedAt }: Validators): boolean {
  const condition = header("If-Range")?.trim();
  if (condition === undefined) return true;
  return condition.endsWith('"') ? condition === etag : httpDate(condition) === toSecond(modifiedAt);
}

/** A future time is sent as now (RFC 9110, section 8.8.2.1). */
export const lastModified = ({ modifiedAt }: Validators, now: number): string =>
  formatHttpDate(Math.min(modifiedAt, now));

export const formatHttpDate = (ms: number): string => new Date(ms).toUTCString();

const toSecond = (ms: number): number => Math.floor(ms / 1000) * 1000;

/** Weak comparison, as 304 requires. */
export const tagsIn = (list: string): string[] => list.match(/"[^"]*"/g) ?? [];

export const strongTagsIn = (list: string): string[] =>
  (list.match(/(?:W\/)?"[^"]*"/g) ?? []).filter((tag) => tag.startsWith('"'));

/** IMF-fixdate only: `Sun, 06 Nov 1994 08:49:37 GMT`. */
function httpDate(text: string | undefined): number | null {
  if (
    text === undefined ||
    !/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text.trim())
  ) {
    return null;
  }
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}
