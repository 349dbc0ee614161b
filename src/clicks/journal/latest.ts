import { readDetails, type VisitDetails } from "./details-record.ts";
import { hasDetails, isAutomatedKind, isClick, PAGE_BYTES, RECORD_BYTES } from "./format.ts";

export type RecentClick = {
  linkId: number;
  atMs: number;
  isAutomated: boolean;
  details: VisitDetails | null;
};

const PAGE_WORDS = PAGE_BYTES / 4;
/** Bounds the search. */
const MOST_PAGES = 8;
const TWO_32 = 2 ** 32;

/**
 * At most `most` clicks of an open segment after an instant, before word `end`, oldest first. Reads forwards from the
 * beginning of a page.
 */
export function latestClicks(words: Int32Array, end: number, sinceMs: number, most: number): RecentClick[] {
  const bytes = Buffer.from(words.buffer, words.byteOffset, words.byteLength);
  const found: RecentClick[] = [];
  let until = end;
  for (let pages = 0; pages < MOST_PAGES && until > PAGE_WORDS && found.length < most; pages++) {
    const start = Math.floor((until - 1) / PAGE_WORDS) * PAGE_WORDS;
    found.unshift(...clicksBetween(words, bytes, start, until).filter(({ atMs }) => atMs > sinceMs));
    until = start;
  }
  return found.slice(-most);
}

function clicksBetween(words: Int32Array, bytes: Buffer, start: number, end: number): RecentClick[] {
  const clicks: RecentClick[] = [];
  for (let at = start; at < end; ) {
    const head = words[at]!;
    const length = ((head >>> 4) & 0xff) * (RECORD_BYTES / 4);
    if (length === 0) break;
    const kind = head & 15;
    if (isClick(kind)) {
      const high = words[at + 2]!;
      clicks.push({
        linkId: (high & 0x1fffff) * TWO_32 + (words[at + 1]! >>> 0),
        atMs: (high >>> 21) * TWO_32 + (words[at + 3]! >>> 0),
        isAutomated: isAutomatedKind(kind),
        details: hasDetails(kind) ? readDetails(bytes, at * 4) : null,
      });
    }
    at += length;
  }
  return clicks;
}
