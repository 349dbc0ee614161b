/**
 * Finds the lines of a request's head in place. All heads share one index, because a redirect reads its head before the
 * next one is parsed; a head that is read later is indexed again. Source: RFC 9112, sections 2 to 5.
 */

export const MOST_FIELDS = 200;

const CR = 13;
const TAB = 9;
const BLANK = 32;

/** Everything but visible characters, blanks, tabs, CR LF and bytes above 127. */
const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r[^\n]/;

/** Characters of a field's name. */
const IS_TOKEN = new Uint8Array(256);
for (const character of "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
  IS_TOKEN[character.charCodeAt(0)] = 1;
}

export function isToken(text: string, start: number, end: number): boolean {
  if (start >= end) return false;
  for (let at = start; at < end; at++) if (IS_TOKEN[text.charCodeAt(at) & 255] === 0) return false;
  return true;
}

const BARE_LINE_END = /\r[^\n]|(?:^|[^\r])\n/;

export const hasBareLineEnd = (text: string): boolean => BARE_LINE_END.test(text);

export const hasForbidden = (text: string): boolean => FORBIDDEN.test(text);

/** Per field: where its name starts, its colon, and where its line ends. */
const names = new Int32Array(MOST_FIELDS);
const colons = new Int32Array(MOST_FIELDS);
const ends = new Int32Array(MOST_FIELDS);
let count = 0;
let indexed = "";

/** What the framing of a request needs, from the head indexed last. */
export type FramingFields = {
  hosts: number;
  host: string | null;
  coding: string | null;
  length: string | null;
  connection: string | null;
};

const framing: FramingFields = { hosts: 0, host: null, coding: null, length: null, connection: null };

/**
 * The fields from `start` to the empty line at the end of `text`, which has no forbidden characters. The result is
 * valid until the next call. Null with a malformed line.
 */
export function indexFields(text: string, start: number): FramingFields | null {
  const end = text.length - 2;
  count = 0;
  indexed = "";
  framing.hosts = 0;
  framing.host = framing.coding = framing.length = framing.connection = null;
  for (let at = start; at < end; ) {
    const lineEnd = text.indexOf("\n", at);
    const colon = text.indexOf(":", at);
    if (text.charCodeAt(lineEnd - 1) !== CR || colon < 0 || colon > lineEnd) return null;
    if (count === MOST_FIELDS || !isToken(text, at, colon)) return null;
    names[count] = at;
    colons[count] = colon;
    ends[count] = lineEnd - 1;
    noteFraming(text, count, colon - at);
    count++;
    at = lineEnd + 1;
  }
  indexed = text;
  return framing;
}

/** Compares the length of the name first. */
function noteFraming(text: string, at: number, length: number): void {
  if (length === 4) {
    if (!isNamed(text, at, "host")) return;
    framing.hosts++;
    framing.host = valueAt(text, at);
  } else if (length === 10) {
    if (isNamed(text, at, "connection")) framing.connection = joined(framing.connection, valueAt(text, at));
  } else if (length === 14) {
    if (isNamed(text, at, "content-length")) framing.length = joined(framing.length, valueAt(text, at));
  } else if (length === 17) {
    if (isNamed(text, at, "transfer-encoding")) framing.coding = joined(framing.coding, valueAt(text, at));
  }
}

const joined = (before: string | null, value: string, by = ", "): string =>
  before === null ? value : before + by + value;

export function eachField(text: string, start: number, use: (name: string, value: string) => void): void {
  if (indexed !== text) indexFields(text, start);
  for (let at = 0; at < count; at++) use(text.slice(names[at]!, colons[at]!), valueAt(text, at));
}

/** Repeated values are joined by a comma, those of Cookie by a semicolon. Null without one. `name` is in lower case. */
export function findField(text: string, start: number, name: string): string | null {
  if (indexed !== text) indexFields(text, start);
  let value: string | null = null;
  for (let at = 0; at < count; at++) {
    if (isNamed(text, at, name)) value = joined(value, valueAt(text, at), name === "cookie" ? "; " : ", ");
  }
  return value;
}

function isNamed(text: string, at: number, name: string): boolean {
  const start = names[at]!;
  const { length } = name;
  if (colons[at]! - start !== length) return false;
  for (let offset = 0; offset < length; offset++) {
    // In a token the bit turns no other character into one of a name.
    if ((text.charCodeAt(start + offset) | 32) !== name.charCodeAt(offset)) return false;
  }
  return true;
}

function valueAt(text: string, at: number): string {
  let start = colons[at]! + 1;
  let end = ends[at]!;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

const isBlank = (unit: number): boolean => unit === BLANK || unit === TAB;
