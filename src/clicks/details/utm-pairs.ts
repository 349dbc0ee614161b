/** The pairs of a query that name a campaign. */

const UTM = "utm_";
const UTM_SOURCE = "utm_source=";
const AMPERSAND = 38;
const QUESTION_MARK = 63;
const HASH = 35;

/** Percent-encoded as sent; null without one. The query begins at `from`. */
export function utmSource(text: string, from: number): string | null {
  const at = text.charCodeAt(from) === QUESTION_MARK ? pairAt(text, from, UTM_SOURCE) : -1;
  return at === -1 ? null : text.slice(at + UTM_SOURCE.length, endOfPair(text, at));
}

/** All pairs whose keys begin with `utm_`, joined as they are; null without one. */
export function utmPairs(text: string, from: number): string | null {
  if (text.charCodeAt(from) !== QUESTION_MARK) return null;
  let pairs: string | null = null;
  for (let at = pairAt(text, from, UTM); at !== -1; ) {
    const end = endOfPair(text, at);
    const pair = text.slice(at, end);
    pairs = pairs === null ? pair : `${pairs}&${pair}`;
    at = pairAt(text, end, UTM);
  }
  return pairs;
}

/** The same of a link's target. */
export function campaignOfTarget(location: string): string | null {
  if (!location.includes(UTM)) return null;
  const fragmentAt = location.indexOf("#");
  const url = fragmentAt === -1 ? location : location.slice(0, fragmentAt);
  return utmPairs(url, url.indexOf("?"));
}

function pairAt(text: string, from: number, start: string): number {
  for (let at = text.indexOf(start, from); at !== -1; at = text.indexOf(start, at + 1)) {
    const before = text.charCodeAt(at - 1);
    if (before === AMPERSAND || before === QUESTION_MARK) return at;
  }
  return -1;
}

function endOfPair(text: string, at: number): number {
  let end = at;
  for (; end < text.length; end++) {
    const unit = text.charCodeAt(end);
    if (unit === AMPERSAND || unit === HASH) break;
  }
  return end;
}
