/**
 * The reading end of a segment: from a position on, with plain file reads. Reads see what was stored into the
 * mapping before them (both are the same page cache), and a reader that maps nothing costs the process no memory.
 */
import { closeSync, openSync, readSync } from "node:fs";
import {
  decodeHeader,
  FIRST_RECORD,
  KIND_COUNT,
  PAGE_BYTES,
  RECORD_BYTES,
  recordCheck,
  type SegmentHeader,
} from "./journal.format.ts";

/** Clicks in columns; the first `count` rows hold. Made once and filled again and again. */
export type ClickBatch = {
  count: number;
  readonly links: Float64Array;
  readonly times: Float64Array;
  /** What was read of the file last. */
  readonly chunk: Int32Array;
};

const CHUNK_BYTES = 64 * PAGE_BYTES;
const TWO_32 = 2 ** 32;

export const createBatch = (capacity: number): ClickBatch => ({
  count: 0,
  links: new Float64Array(capacity),
  times: new Float64Array(capacity),
  chunk: new Int32Array(CHUNK_BYTES / 4),
});

export type SegmentSpan = {
  /** Where the next read begins. */
  position: number;
  /** Pages whose rest was passed over because a record in them was not whole. */
  damagedPages: number;
};

export type SegmentReader = {
  readonly header: SegmentHeader;
  /**
   * Fills the batch with the clicks from `position` (an end of a record) to `end`: all there are, or as many as it
   * holds. `final` says that the segment's writer is done or dead: see journal.format.ts.
   */
  read(batch: ClickBatch, position: number, final: boolean, end?: number): SegmentSpan;
  close(): void;
};

/** Opens a segment; null when the file is none (or of a version not known here). Throws what the file system says. */
export function openSegmentReader(path: string): SegmentReader | null {
  const file = openSync(path, "r");
  const header = readHeader(file);
  if (!header) {
    closeSync(file);
    return null;
  }
  return {
    header,
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

/** Reads the chunk that begins with the page of this position; what the file lacks reads as zeros. */
function load(file: number, chunk: Int32Array, position: number): number {
  const start = position - (position % PAGE_BYTES);
  const length = readSync(file, chunk, 0, CHUNK_BYTES, start);
  new Uint8Array(chunk.buffer).fill(0, length);
  return start;
}

type Range = { position: number; final: boolean; end: number };

function readSpan(file: number, header: SegmentHeader, batch: ClickBatch, range: Range): SegmentSpan {
  const { links, times, chunk } = batch;
  let position = range.position;
  let start = load(file, chunk, position);
  let damagedPages = 0;
  let count = 0;
  while (position < range.end && count < links.length) {
    if (position >= start + CHUNK_BYTES) start = load(file, chunk, position);
    const at = (position - start) >> 2;
    const length = wholeLength(chunk, at, position, header.seed);
    if (length === 0) {
      if (!range.final) break;
      if (chunk[at] !== 0) damagedPages += 1;
      position += PAGE_BYTES - (position % PAGE_BYTES);
      continue;
    }
    if ((chunk[at]! & 15) === KIND_COUNT) {
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

/** The length of the record at word `at` of the chunk, or 0 when no whole record stands there. */
function wholeLength(chunk: Int32Array, at: number, position: number, seed: number): number {
  const word0 = chunk[at]!;
  const length = ((word0 >>> 4) & 0xff) * RECORD_BYTES;
  if (length === 0 || (position % PAGE_BYTES) + length > PAGE_BYTES) return 0;
  const check = recordCheck(seed, position >> 2, chunk[at + 1]!, chunk[at + 2]!, chunk[at + 3]!);
  return (word0 ^ check) >>> 12 === 0 ? length : 0;
}
