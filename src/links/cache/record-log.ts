/**
 * The memory of the link table (table.ts): entries in segments of 1 MiB, oldest first. A segment is freed when the tail
 * has passed it.
 *
 *     | sizes and marks (int32), time of storing (int32) | expiry (float64) | id (uint32, or float64) | bytes …
 *
 * Only links that expire have the expiry. The bytes are code and location, ASCII, padded to 8 bytes; `https://` is a
 * mark. An address is segment number and 8-byte word in one integer below 2^31, so a log holds up to 16 GiB. Addresses
 * are not checked.
 */
import { hashBytes } from "../../lib/code-hash.ts";

/** Missing in the types. Faster than toString and write. */
type Bytes = Buffer & {
  latin1Slice(start: number, end: number): string;
  latin1Write(text: string, start: number): number;
};

type Segment = {
  readonly bytes: Bytes;
  readonly ints: Int32Array;
  readonly doubles: Float64Array;
  used: number;
};

export type LinkLog = {
  readonly segments: (Segment | undefined)[];
  /** Oldest first, the last one with the head. Never empty. */
  readonly order: number[];
  /** At most one keeps its memory. */
  readonly free: number[];
  /** Word of the oldest entry in its segment. */
  tail: number;
  /** Words between tail and head, and those of dead entries. */
  written: number;
  dead: number;
};

const SHIFT = 17;
export const SEGMENT_WORDS = 1 << SHIFT;
const WITHIN = SEGMENT_WORDS - 1;

export const MAX_LOCATION_LENGTH = 0xffff;
const CODE_SHIFT = 16;
const CODE_LENGTH = 0xff;
const EXPIRES = 1 << 24;
const USED = 1 << 25;
const DEAD = 1 << 26;
/** The id takes 8 bytes. */
const LONG_ID = 1 << 27;
const MOST_SHORT_ID = 0xffff_ffff;
/** The location begins with `https://`, which is not stored. */
const HTTPS = 1 << 28;
const SCHEME = "https://";
/** Joining a longer text costs less than a copy by bytes. */
const MOST_COPIED = 256;
/** Makes one flat text of a location: a joined one is flattened later and leaves garbage on every redirect. */
const copied = Buffer.from(SCHEME.padEnd(SCHEME.length + MOST_COPIED)) as Bytes;

const idStart = (marks: number): number => ((marks & EXPIRES) === 0 ? 8 : 16);
const fixedBytes = (marks: number): number => idStart(marks) + ((marks & LONG_ID) === 0 ? 4 : 8);
const codeLength = (marks: number): number => (marks >>> CODE_SHIFT) & CODE_LENGTH;
const wordsFor = (marks: number): number =>
  (fixedBytes(marks) + codeLength(marks) + (marks & MAX_LOCATION_LENGTH) + 7) >>> 3;
const segmentOf = (log: LinkLog, address: number): Segment => log.segments[address >>> SHIFT]!;
const marksAt = (address: number): number => (address & WITHIN) << 1;
const marksOf = (log: LinkLog, address: number): number => segmentOf(log, address).ints[marksAt(address)]!;
const codeStart = (address: number, marks: number): number => ((address & WITHIN) << 3) + fixedBytes(marks);

export function createLinkLog(): LinkLog {
  const log: LinkLog = { segments: [], order: [], free: [], tail: 0, written: 0, dead: 0 };
  openSegment(log);
  return log;
}

export function clearLog(log: LinkLog): void {
  log.segments.length = log.order.length = log.free.length = 0;
  log.tail = log.written = log.dead = 0;
  openSegment(log);
}

export const logBytes = (log: LinkLog): number =>
  log.segments.filter((segment) => segment !== undefined).length * SEGMENT_WORDS * 8;

function openSegment(log: LinkLog): Segment {
  const number = log.free.pop() ?? log.segments.length;
  let segment = log.segments[number];
  if (segment === undefined) {
    const memory = new ArrayBuffer(SEGMENT_WORDS * 8);
    segment = {
      bytes: Buffer.from(memory) as Bytes,
      ints: new Int32Array(memory),
      doubles: new Float64Array(memory),
      used: 0,
    };
    log.segments[number] = segment;
  }
  segment.used = 0;
  log.order.push(number);
  return segment;
}

function allocate(log: LinkLog, words: number): number {
  let segment = log.segments[log.order.at(-1)!]!;
  if (segment.used + words > SEGMENT_WORDS) segment = openSegment(log);
  const address = (log.order.at(-1)! << SHIFT) | segment.used;
  segment.used += words;
  log.written += words;
  return address;
}

/** Returns the address. LinkTable.set checks the bounds. */
export function append(
  log: LinkLog,
  code: string,
  id: number,
  expiresAt: number,
  location: string,
  storedAt: number,
): number {
  const isHttps = location.startsWith(SCHEME);
  const rest = isHttps ? location.slice(SCHEME.length) : location;
  const marks =
    rest.length |
    (isHttps ? HTTPS : 0) |
    (code.length << CODE_SHIFT) |
    (expiresAt === 0 ? 0 : EXPIRES) |
    (id <= MOST_SHORT_ID ? 0 : LONG_ID);
  const address = allocate(log, wordsFor(marks));
  const { bytes, ints, doubles } = segmentOf(log, address);
  const word = address & WITHIN;
  const idAtByte = (word << 3) + idStart(marks);
  ints[marksAt(address)] = marks;
  ints[marksAt(address) + 1] = storedAt;
  if (expiresAt !== 0) doubles[word + 1] = expiresAt;
  if ((marks & LONG_ID) === 0) ints[idAtByte >>> 2] = id;
  else doubles[idAtByte >>> 3] = id;
  const start = codeStart(address, marks);
  bytes.latin1Write(code, start);
  bytes.latin1Write(rest, start + code.length);
  return address;
}

/** Clears the use mark. Returns the new address. */
export function copyToHead(log: LinkLog, address: number): number {
  const words = entryWords(log, address);
  const from = (address & WITHIN) << 3;
  const source = segmentOf(log, address).bytes;
  const copy = allocate(log, words);
  const target = segmentOf(log, copy);
  source.copy(target.bytes, (copy & WITHIN) << 3, from, from + (words << 3));
  target.ints[marksAt(copy)]! &= ~USED;
  return copy;
}

/** Moves the tail past the oldest entry, dead or alive. Returns its address, readable until the next append, or -1. */
export function takeOldest(log: LinkLog): number {
  for (;;) {
    const number = log.order[0]!;
    const segment = log.segments[number]!;
    if (log.tail < segment.used) {
      const address = (number << SHIFT) | log.tail;
      const words = entryWords(log, address);
      log.tail += words;
      log.written -= words;
      if (isDead(log, address)) log.dead -= words;
      return address;
    }
    log.tail = 0;
    if (log.order.length === 1) {
      segment.used = 0;
      return -1;
    }
    log.order.shift();
    if (log.free.length > 0) log.segments[number] = undefined;
    log.free.push(number);
  }
}

export function markDead(log: LinkLog, address: number): void {
  log.dead += entryWords(log, address);
  segmentOf(log, address).ints[marksAt(address)]! |= DEAD;
}

export const isDead = (log: LinkLog, address: number): boolean => (marksOf(log, address) & DEAD) !== 0;
export const isUsed = (log: LinkLog, address: number): boolean => (marksOf(log, address) & USED) !== 0;

export function markUsed(log: LinkLog, address: number): void {
  const ints = segmentOf(log, address).ints;
  const marks = ints[marksAt(address)]!;
  // Usually set. Not writing keeps the cache line clean.
  if ((marks & USED) === 0) ints[marksAt(address)] = marks | USED;
}

export const entryWords = (log: LinkLog, address: number): number => wordsFor(marksOf(log, address));
export function idAt(log: LinkLog, address: number): number {
  const { ints, doubles } = segmentOf(log, address);
  const marks = ints[marksAt(address)]!;
  const start = ((address & WITHIN) << 3) + idStart(marks);
  return (marks & LONG_ID) === 0 ? ints[start >>> 2]! >>> 0 : doubles[start >>> 3]!;
}

export const expiresAtAt = (log: LinkLog, address: number): number =>
  (marksOf(log, address) & EXPIRES) === 0 ? 0 : segmentOf(log, address).doubles[(address & WITHIN) + 1]!;
export const storedAtAt = (log: LinkLog, address: number): number =>
  segmentOf(log, address).ints[marksAt(address) + 1]!;

export function locationAt(log: LinkLog, address: number): string {
  const { bytes, ints } = segmentOf(log, address);
  const marks = ints[marksAt(address)]!;
  const start = codeStart(address, marks) + codeLength(marks);
  const length = marks & MAX_LOCATION_LENGTH;
  if ((marks & HTTPS) === 0) return bytes.latin1Slice(start, start + length);
  if (length > MOST_COPIED) return SCHEME + bytes.latin1Slice(start, start + length);
  for (let at = 0; at < length; at++) copied[SCHEME.length + at] = bytes[start + at]!;
  return copied.latin1Slice(0, SCHEME.length + length);
}

export function setStoredAt(log: LinkLog, address: number, storedAt: number): void {
  segmentOf(log, address).ints[marksAt(address) + 1] = storedAt;
}

export function hashAt(log: LinkLog, address: number, seed: number): number {
  const marks = marksOf(log, address);
  const start = codeStart(address, marks);
  return hashBytes(segmentOf(log, address).bytes, start, start + codeLength(marks), seed);
}

export function isCodeAt(log: LinkLog, address: number, text: string, start: number, end: number): boolean {
  const { bytes, ints } = segmentOf(log, address);
  const marks = ints[marksAt(address)]!;
  const length = end - start;
  if (codeLength(marks) !== length) return false;
  const first = codeStart(address, marks);
  for (let i = 0; i < length; i++) {
    if (bytes[first + i] !== text.charCodeAt(start + i)) return false;
  }
  return true;
}
