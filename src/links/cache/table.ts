/**
 * A bounded table of links that lives outside of the garbage collector's heap: a million of them are some hundred
 * large buffers and no objects, so a collection costs nothing more and never stops the loop.
 *
 * **The index** is an open-addressing hash table with linear probing over one Int32Array: pairs of the hash of an
 * entry's code and the entry's address in the log (record-log.ts), plus one; zero is an empty slot. A deletion shifts
 * the slots behind it back, so there are no tombstones. The array is made once, for `maxLinks`, at most two thirds
 * full: it never grows, thus never stops the loop for a rehash. (Pages that are never touched take no memory.)
 *
 * **The tail of the log** does two jobs by one step: take the oldest entry; dead, skip it; alive, write it again at
 * the head. Eviction is this step with a twist that makes it CLOCK (second chance): an entry that was not found
 * since the tail last passed is dropped, one that was is written again with its mark cleared. Compaction is this
 * step, without the twist, while the dead take more than a quarter of what the living take. Both are paid in small
 * coins: every write and every deletion takes steps in proportion to the room that it used or gave up itself. So no
 * call takes more than some microseconds (`clear` some milliseconds), and memory stays below the living, a third of
 * it, and three segments.
 */
import { hashCode, MAX_CODE_LENGTH } from "../../lib/code-hash.ts";
import * as log from "./record-log.ts";

export type LinkTable = {
  /**
   * The address of the code that stands in `text` from `start` up to and without `end`, or -1; `hash` is its
   * `hashCode` under the table's seed. An address is good until the next change of the table.
   */
  find(hash: number, text: string, start: number, end: number): number;
  id(address: number): number;
  /** Epoch milliseconds, 0 when it never expires. */
  expiresAt(address: number): number;
  /** Epoch seconds at which the entry was stored. */
  storedAt(address: number): number;
  location(address: number): string;
  /**
   * Adds or replaces. `code` is 1 to 128 ASCII characters, `location` at most 65,535; `id` and `expiresAt` are
   * below 2^53. False when code or location is too long: then the code is in the table no more.
   */
  set(code: string, id: number, expiresAt: number, location: string, storedAt: number): boolean;
  /** Whether it was there. */
  delete(code: string): boolean;
  /** Makes an entry as fresh as if it were stored at that epoch second. */
  restamp(address: number, storedAt: number): void;
  clear(): void;
  size(): number;
  /** Memory taken, index included. */
  bytes(): number;
};

type Table = {
  readonly log: log.LinkLog;
  /** Hash and address + 1, alternating. */
  readonly index: Int32Array;
  readonly wrap: number;
  readonly limit: number;
  readonly seed: number;
  count: number;
};

/** How many entries the tail lets live in one eviction because they were used; it takes the next, used or not. */
const SECOND_CHANCES = 128;
const MOST_LINKS = 100_000_000;

/** A table of at most `maxLinks` links, between one and a hundred million. `seed` is a random 32-bit integer. */
export function createLinkTable(maxLinks: number, seed: number): LinkTable {
  const limit = Math.min(Math.max(1, Math.floor(maxLinks)), MOST_LINKS);
  const slots = 2 ** Math.ceil(Math.log2(limit * 1.5 + 1));
  const index = new Int32Array(slots * 2);
  const entries = log.createLinkLog();
  const table: Table = { log: entries, index, wrap: index.length - 1, limit, seed, count: 0 };
  return {
    find(hash, text, start, end) {
      const slot = findSlot(table, hash, text, start, end);
      if (slot < 0) return -1;
      const address = index[slot + 1]! - 1;
      log.markUsed(entries, address);
      return address;
    },
    id: (address) => log.idAt(entries, address),
    expiresAt: (address) => log.expiresAtAt(entries, address),
    storedAt: (address) => log.storedAtAt(entries, address),
    location: (address) => log.locationAt(entries, address),
    set(code, id, expiresAt, location, storedAt) {
      remove(table, code);
      const fits = code.length > 0 && code.length <= MAX_CODE_LENGTH;
      if (!fits || location.length > log.MAX_LOCATION_LENGTH) return false;
      if (table.count >= limit) evictOne(table);
      const address = log.append(entries, code, id, expiresAt, location, storedAt);
      insert(table, hashCode(code, 0, code.length, seed), address);
      compact(table, log.entryWords(entries, address));
      return true;
    },
    delete(code) {
      const freedWords = remove(table, code);
      compact(table, freedWords);
      return freedWords > 0;
    },
    restamp: (address, storedAt) => log.setStoredAt(entries, address, storedAt),
    clear() {
      index.fill(0);
      log.clearLog(entries);
      table.count = 0;
    },
    size: () => table.count,
    bytes: () => index.byteLength + log.logBytes(entries),
  };
}

/** The slot of a code, or -1. */
function findSlot(table: Table, hash: number, text: string, start: number, end: number): number {
  const { index, wrap } = table;
  let slot = (hash << 1) & wrap;
  for (let entry = index[slot + 1]!; entry !== 0; entry = index[slot + 1]!) {
    if (index[slot] === hash && log.isCodeAt(table.log, entry - 1, text, start, end)) return slot;
    slot = (slot + 2) & wrap;
  }
  return -1;
}

/** The slot of an entry that is in the index. */
function slotOf(table: Table, address: number): number {
  const { index, wrap } = table;
  let slot = (log.hashAt(table.log, address, table.seed) << 1) & wrap;
  while (index[slot + 1] !== address + 1) slot = (slot + 2) & wrap;
  return slot;
}

function insert(table: Table, hash: number, address: number): void {
  const { index, wrap } = table;
  let slot = (hash << 1) & wrap;
  while (index[slot + 1] !== 0) slot = (slot + 2) & wrap;
  index[slot] = hash;
  index[slot + 1] = address + 1;
  table.count++;
}

/** Empties a slot and closes the gap: whatever stands behind it and would come nearer to its home by that, moves. */
function emptySlot(table: Table, slot: number): void {
  const { index, wrap } = table;
  let gap = slot;
  for (let next = (gap + 2) & wrap; index[next + 1] !== 0; next = (next + 2) & wrap) {
    const home = (index[next]! << 1) & wrap;
    if (((next - home) & wrap) < ((next - gap) & wrap)) continue;
    index[gap] = index[next]!;
    index[gap + 1] = index[next + 1]!;
    gap = next;
  }
  index[gap + 1] = 0;
  table.count--;
}

/** The words of the log that it gave up; 0 when the code was not there. */
function remove(table: Table, code: string): number {
  const slot = findSlot(table, hashCode(code, 0, code.length, table.seed), code, 0, code.length);
  if (slot < 0) return 0;
  const address = table.index[slot + 1]! - 1;
  emptySlot(table, slot);
  log.markDead(table.log, address);
  return log.entryWords(table.log, address);
}

/** An entry that the tail has passed goes to the head. */
function keep(table: Table, address: number): void {
  const slot = slotOf(table, address);
  table.index[slot + 1] = log.copyToHead(table.log, address) + 1;
}

/** Makes room for one more; there is at least one entry. */
function evictOne(table: Table): void {
  let chances = SECOND_CHANCES;
  for (;;) {
    const address = log.takeOldest(table.log);
    if (log.isDead(table.log, address)) continue;
    if (chances === 0 || !log.isUsed(table.log, address)) return emptySlot(table, slotOf(table, address));
    chances--;
    keep(table, address);
  }
}

/** Moves the tail on, while there is too much dead room, for at most about twice the words that were used. */
function compact(table: Table, words: number): void {
  const entries = table.log;
  let budget = 2 * words + 64;
  while (
    budget > 0 &&
    entries.dead > log.SEGMENT_WORDS &&
    entries.dead > (entries.written - entries.dead) >>> 2
  ) {
    const address = log.takeOldest(entries);
    budget -= log.entryWords(entries, address);
    if (!log.isDead(entries, address)) keep(table, address);
  }
}
