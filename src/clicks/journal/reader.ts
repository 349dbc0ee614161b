/** The reading end of a segment, by plain file reads, which see the writer's stores and map no memory. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import {
  decodeHeader,
  digestWord,
  FIRST_RECORD,
  hasDetails,
  isAutomatedKind,
  isClick,
  isRefusedKind,
  PAGE_BYTES,
  RECORD_BYTES,
  recordCheck,
  type SegmentHeader,
} from "./format.ts";
import { readDetails, type VisitDetails } from "./details-record.ts";

/** Columns. The first `count` rows are valid. Reused. */
export type ClickBatch = {
  count: number;
  /** At most the length of the columns. Variable. */
  limit: number;
  /** Full: more clicks may follow. */
  isFull: boolean;
  /** Clicks with details. */
  detailed: number;
  readonly details: DetailsBatch | null;
  readonly links: Float64Array;
  readonly times: Float64Array;
  readonly kinds: Uint8Array;
  /** Clicks whose details were refused. */
  refused: number;
  /** Clicks of automated visitors. */
  automated: number;
  /** The last read part of the file. */
  readonly chunk: Int32Array;
  /** The same memory. */
  readonly chunkBytes: Buffer;
};

/** The records with details, concatenated. */
type DetailsBatch = {
  readonly capacity: number;
  /** Row in the batch, and offset in `bytes`. */
  readonly rows: Int32Array;
  readonly places: Int32Array;
  /** Grows as needed. */
  bytes: Buffer;
};

/** Bounds long texts. */
const MOST_DETAILS_BYTES = 16 * 1024 * 1024;
const FIRST_DETAILS_BYTES = 256 * 1024;
const CHUNK_BYTES = 64 * PAGE_BYTES;
const TWO_32 = 2 ** 32;

/** `details` 0: skips details. */
export function createBatch(capacity: number, details = 0): ClickBatch {
  const chunk = new Int32Array(CHUNK_BYTES / 4);
  return {
    count: 0,
    limit: capacity,
    isFull: false,
    detailed: 0,
    details:
      details === 0
        ? null
        : {
            capacity: details,
            rows: new Int32Array(details),
            places: new Int32Array(details),
            bytes: Buffer.alloc(0),
          },
    links: new Float64Array(capacity),
    times: new Float64Array(capacity),
    kinds: new Uint8Array(capacity),
    refused: 0,
    automated: 0,
    chunk,
    chunkBytes: Buffer.from(chunk.buffer),
  };
}

type SegmentSpan = {
  /** Position of the next read. */
  position: number;
  /** Pages whose rest was skipped after a record that was not whole. */
  damagedPages: number;
};

export type SegmentReader = {
  readonly header: SegmentHeader;
  /** The file was cut off: a whole one has its length from the first click on. */
  readonly missingBytes: number;
  /**
   * Reads from `position` (an end of a record) to `end`, up to the batch's capacity. `final`: the segment's writer is
   * done or dead.
   */
  read(batch: ClickBatch, position: number, final: boolean, end?: number): SegmentSpan;
  close(): void;
};

/** Returns null for a file that is no segment of a known version. Throws file system errors. */
export function openSegmentReader(path: string): SegmentReader | null {
  const file = openSync(path, "r");
  const header = readHeader(file);
  if (!header) {
    closeSync(file);
    return null;
  }
  return {
    header,
    missingBytes: Math.max(0, header.bytes - fstatSync(file).size),
    read: (batch, position, final, end = header.bytes) =>
      readSpan(file, header, batch, { position: Math.max(position, FIRST_RECORD), final, end }),
    close: () => closeSync(file),
  };
}

function readHeader(file: number): SegmentHeader | null {
  const page = new Uint8Array(PAGE_BYTES);
  readSync(file, page, 0, PAGE_BYTES, 0);
  return decodeHeader(page);
}

/** Reads from the page of this position. Missing bytes are zeros. */
function load(file: number, { chunkBytes }: ClickBatch, position: number): number {
  const start = position - (position % PAGE_BYTES);
  const length = readSync(file, chunkBytes, 0, CHUNK_BYTES, start);
  chunkBytes.fill(0, length);
  return start;
}

type Range = { position: number; final: boolean; end: number };

function readSpan(file: number, header: SegmentHeader, batch: ClickBatch, range: Range): SegmentSpan {
  const { links, times, kinds, chunk, limit } = batch;
  let position = range.position;
  let start = load(file, batch, position);
  let damagedPages = 0;
  let count = 0;
  let bytesTaken = 0;
  batch.detailed = 0;
  batch.refused = 0;
  batch.automated = 0;
  batch.isFull = false;
  while (position < range.end) {
    if (position >= start + CHUNK_BYTES) start = load(file, batch, position);
    const at = (position - start) >> 2;
    const length = wholeLength(chunk, at, position, header.seed);
    if (length === 0) {
      if (!range.final) break;
      if (chunk[at] !== 0) damagedPages += 1;
      position += PAGE_BYTES - (position % PAGE_BYTES);
      continue;
    }
    const kind = chunk[at]! & 15;
    if (isClick(kind)) {
      const isDetailed = hasDetails(kind);
      if (count >= limit || (isDetailed && !takeDetails(batch, at, length, bytesTaken))) {
        batch.isFull = true;
        break;
      }
      if (isDetailed) {
        if (batch.details !== null) batch.details.rows[batch.detailed] = count;
        batch.detailed += 1;
        bytesTaken += length;
      }
      if (isRefusedKind(kind)) batch.refused += 1;
      if (isAutomatedKind(kind)) batch.automated += 1;
      kinds[count] = kind;
      const high = chunk[at + 2]!;
      links[count] = (high & 0x1fffff) * TWO_32 + (chunk[at + 1]! >>> 0);
      times[count] = (high >>> 21) * TWO_32 + (chunk[at + 3]! >>> 0);
      count += 1;
    }
    position += length;
  }
  batch.count = count;
  return { position: Math.min(position, range.end), damagedPages };
}

/** False without room. */
function takeDetails(
  { details, detailed, chunkBytes }: ClickBatch,
  at: number,
  length: number,
  place: number,
) {
  if (details === null) return true;
  if (detailed === details.capacity || place + length > MOST_DETAILS_BYTES) return false;
  if (place + length > details.bytes.length) {
    const larger = Buffer.alloc(Math.max(FIRST_DETAILS_BYTES, details.bytes.length * 2));
    details.bytes.copy(larger, 0, 0, place);
    details.bytes = larger;
  }
  chunkBytes.copy(details.bytes, place, at * 4, at * 4 + length);
  details.places[detailed] = place;
  return true;
}

/** Length in words; 0 without a whole record. */
function wholeLength(chunk: Int32Array, at: number, position: number, seed: number): number {
  const word0 = chunk[at]!;
  const length = ((word0 >>> 4) & 0xff) * RECORD_BYTES;
  if (length === 0 || (position % PAGE_BYTES) + length > PAGE_BYTES) return 0;
  let digest = 0;
  for (let word = at + 4; word < at + length / 4; word++) digest = digestWord(digest, chunk[word]!);
  // A filler's bytes are unwritten.
  const check = recordCheck(seed ^ digest, position >> 2, chunk[at + 1]!, chunk[at + 2]!, chunk[at + 3]!);
  return (word0 ^ check) >>> 12 === 0 ? length : 0;
}

export type RecentClick = {
  linkId: number;
  atMs: number;
  isAutomated: boolean;
  details: VisitDetails | null;
};

const PAGE_WORDS = PAGE_BYTES / 4;
/** Bounds the search. */
const MOST_PAGES = 8;

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
