/** Conditional requests (RFC 9110, section 13) for a representation that has a strong ETag and a time. */
export type Validators = {
  /** With its quotes. */
  etag: string;
  /** Epoch milliseconds; HTTP tells whole seconds. */
  modifiedAt: number;
};

type RequestHeader = (name: string) => string | undefined;

/** Whether the client wants another representation than this: 412. If-Match, when given, decides alone. */
export function isPreconditionFailed(header: RequestHeader, { etag, modifiedAt }: Validators): boolean {
  const tags = header("If-Match");
  if (tags !== undefined) return tags.trim() !== "*" && !strongTagsIn(tags).includes(etag);
  const since = httpDate(header("If-Unmodified-Since"));
  return since !== null && toSecond(modifiedAt) > since;
}

/** Whether the client has it already: 304. If-None-Match, when given, decides alone. */
export function isNotModified(header: RequestHeader, { etag, modifiedAt }: Validators): boolean {
  const tags = header("If-None-Match");
  if (tags !== undefined) return tags.trim() === "*" || tagsIn(tags).includes(etag);
  const since = httpDate(header("If-Modified-Since"));
  return since !== null && toSecond(modifiedAt) <= since;
}

/** Whether a Range may be answered with a part: If-Range, when given, must name exactly this representation. */
export function isRangeWanted(header: RequestHeader, { etag, modifiedAt }: Validators): boolean {
  const condition = header("If-Range")?.trim();
  if (condition === undefined) return true;
  return condition.endsWith('"') ? condition === etag : httpDate(condition) === toSecond(modifiedAt);
}

export const lastModified = ({ modifiedAt }: Validators): string => new Date(modifiedAt).toUTCString();

const toSecond = (ms: number): number => Math.floor(ms / 1000) * 1000;

/** Weak tags count as strong ones: that is what the comparison for 304 asks. */
const tagsIn = (list: string): string[] => list.match(/"[^"]*"/g) ?? [];

const strongTagsIn = (list: string): string[] =>
  (list.match(/(?:W\/)?"[^"]*"/g) ?? []).filter((tag) => tag.startsWith('"'));

/** Only the form that clients are to send, `Sun, 06 Nov 1994 08:49:37 GMT`. */
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
