/**
 * The searched texts of links in a private file, in blocks of 1,024 ids, so that a search reads nothing else: 110 MB
 * for a million links take 25 ms. ASCII capitals are stored small. A record is code, target, title and note, each with
 * a separator, then an end and the id in four bytes that begin no character.
 */
import { closeSync, ftruncateSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";

export type TextBlocks = {
  /** Adds or replaces links; see `SEPARATOR`. @throws RangeError if there is too much text */
  put(texts: string): PutTexts;
  /** The ids of links with one of the needles, as bits. */
  find(needles: readonly string[]): Uint8Array;
  sizes(): TextSizes;
  close(): void;
};

/** How many links were whole, and which have characters beyond ASCII. */
export type PutTexts = { links: number; beyondAscii: number[] };

/** In bytes. */
export type TextSizes = { file: number; memory: number };

/** Follows the id and each of the four texts. A search for it would match more than texts. */
export const SEPARATOR = "\u0001";
/** Between links. */
export const END = "\u0002";

const SEPARATOR_BYTE = 1;
const END_BYTE = 2;
const TEXTS = 4;
const ID_BYTES = 4;
const BLOCK_BITS = 10;
const MOST_BYTES = 2 ** 30;
/** Spare room of a slot, for growth. */
const ROOM = 1.125;
/** Unused bytes of the file. */
const MOST_WASTE = 2 ** 25;
const SLOT_BYTES = 100;

/** Place of a block in the file. */
type Slot = { at: number; length: number; capacity: number };

export function createTextBlocks(path: string, mostBytes = MOST_BYTES): TextBlocks {
  const file = openSync(path, "w+", 0o600);
  // It has no name, so a crash leaves nothing.
  unlinkSync(path);
  const slots = new Map<number, Slot>();
  let end = 0;
  let largest = 0;
  let buffer = Buffer.allocUnsafe(2 ** 18);

  function read({ at, length }: Slot): Buffer {
    if (length > buffer.length) buffer = Buffer.allocUnsafe(length * 2);
    let done = 0;
    while (done < length) {
      const bytes = readSync(file, buffer, done, length - done, at + done);
      if (bytes === 0) throw new Error("the file of searched texts is shorter than it was");
      done += bytes;
    }
    return buffer.subarray(0, length);
  }

  function write(bytes: Uint8Array, at: number): void {
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(file, bytes, done, bytes.length - done, at + done);
    }
  }

  function place(block: number, bytes: Uint8Array): void {
    const known = slots.get(block);
    if (known !== undefined && bytes.length <= known.capacity) {
      known.length = bytes.length;
      return write(bytes, known.at);
    }
    const slot = { at: end, length: bytes.length, capacity: Math.ceil(bytes.length * ROOM) };
    if (slot.at + slot.capacity > mostBytes) throw new RangeError("there is too much text to search");
    write(bytes, slot.at);
    end += slot.capacity;
    // Makes it the last in the map, which follows the order of the file.
    slots.delete(block);
    slots.set(block, slot);
  }

  function compact(): void {
    let to = 0;
    for (const slot of slots.values()) {
      if (slot.at !== to) write(read(slot), to);
      slot.at = to;
      to += slot.capacity;
    }
    end = to;
    ftruncateSync(file, end);
  }

  function without(slot: Slot, ids: ReadonlySet<number>): Uint8Array[] {
    const bytes = Buffer.from(read(slot));
    const kept: Uint8Array[] = [];
    let from = 0;
    for (let at = 0; at < bytes.length; ) {
      const after = bytes.indexOf(END_BYTE, at) + 1 + ID_BYTES;
      if (ids.has(idAt(bytes, after - ID_BYTES))) {
        if (at > from) kept.push(bytes.subarray(from, at));
        from = after;
      }
      at = after;
    }
    if (from < bytes.length) kept.push(bytes.subarray(from));
    return kept;
  }

  return {
    put(texts) {
      const records = recordsIn(texts);
      for (const [block, own] of Map.groupBy(records, ({ id }) => id >> BLOCK_BITS)) {
        const slot = slots.get(block);
        const kept = slot === undefined ? [] : without(slot, new Set(own.map(({ id }) => id)));
        place(block, Buffer.concat([...kept, ...own.map(({ bytes }) => bytes)]));
      }
      for (const { id } of records) largest = Math.max(largest, id);
      const used = [...slots.values()].reduce((sum, { capacity }) => sum + capacity, 0);
      if (end - used > MOST_WASTE) compact();
      return {
        links: records.length,
        beyondAscii: records.filter((record) => record.isBeyondAscii).map(({ id }) => id),
      };
    },

    find(needles) {
      const wanted = distinct(needles.map((needle) => folded(Buffer.from(needle))));
      const found = new Uint8Array((largest >> 3) + 1);
      for (const slot of slots.values()) {
        const bytes = read(slot);
        for (const needle of wanted) {
          for (let at = 0; (at = bytes.indexOf(needle, at)) >= 0; ) {
            const last = bytes.indexOf(END_BYTE, at + needle.length) + 1;
            const id = idAt(bytes, last);
            found[id >> 3]! |= 1 << (id & 7);
            at = last + ID_BYTES;
          }
        }
      }
      return found;
    },

    sizes: () => ({ file: end, memory: buffer.length + slots.size * SLOT_BYTES }),

    close: () => closeSync(file),
  };
}

type TextRecord = { id: number; bytes: Uint8Array; isBeyondAscii: boolean };

/** Only whole ones. */
function recordsIn(texts: string): TextRecord[] {
  const bytes = folded(Buffer.from(texts));
  const records: TextRecord[] = [];
  for (let at = 0; at < bytes.length; ) {
    let id = 0;
    for (; bytes[at] !== SEPARATOR_BYTE && at < bytes.length; at++) id = id * 10 + bytes[at]! - 48;
    const from = ++at;
    let separators = 0;
    let all = 0;
    for (; bytes[at] !== END_BYTE && at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (byte === SEPARATOR_BYTE) separators++;
      all |= byte;
    }
    if (separators === TEXTS && bytes[at - 1] === SEPARATOR_BYTE) {
      const record = new Uint8Array(at - from + 1 + ID_BYTES);
      record.set(bytes.subarray(from, at));
      record[at - from] = END_BYTE;
      for (let sixth = 0; sixth < ID_BYTES; sixth++) {
        record[at - from + 1 + sixth] = 0x80 | ((id >> (6 * (ID_BYTES - 1 - sixth))) & 63);
      }
      records.push({ id, bytes: record, isBeyondAscii: all > 127 });
    }
    at++;
  }
  return records;
}

function idAt(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at]! & 63) << 18) |
    ((bytes[at + 1]! & 63) << 12) |
    ((bytes[at + 2]! & 63) << 6) |
    (bytes[at + 3]! & 63)
  );
}

/** Needles that differ only in ASCII case are equal once folded. */
const distinct = (all: readonly Buffer[]): Buffer[] =>
  all.filter((one, at) => all.findIndex((other) => other.equals(one)) === at);

/** In place. */
function folded(bytes: Buffer): Buffer {
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte >= 65 && byte <= 90) bytes[at] = byte + 32;
  }
  return bytes;
}
