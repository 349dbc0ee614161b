/**
 * A bounded table of links outside the collector's heap.
 *
 * **The index** is an open-addressing hash table with linear probing: pairs of a code's hash and the entry's address in the log (record-log.ts) plus one; zero is empty. A deletion shifts later slots back instead of leaving tombstones. It is allocated once for `maxLinks`, at most two thirds full, so it never rehashes. Untouched pages take no memory.
 *
 * **The log's tail** takes the oldest entry: a dead one is skipped, a living one rewritten at the head. Eviction is CLOCK (second chance): it drops an entry not used since the tail last passed. Compaction runs while dead entries take more than a quarter of the living. Writes and deletions pay in proportion to the room that they use or free: a call takes microseconds (`clear` some milliseconds), and memory stays below 4/3 of the living and three segments.
 */
import { hashCode, MAX_KEY_LENGTH } from "../../lib/code-hash.ts";
import * as log from "./record-log.ts";

export type LinkTable = ReturnType<typeof createLinkTable>;

type Table = {
  readonly log: log.LinkLog;
  /** Hash and address + 1, alternating. */
  readonly index: Int32Array;
  readonly wrap: number;
  readonly limit: number;
  readonly seed: number;
  count: number;
};

/** Used entries that one eviction keeps. */
const SECOND_CHANCES = 128;
const MOST_LINKS = 100_000_000;

/** `maxLinks`: 1 to a hundred million. `seed`: a random 32-bit integer. */
export function createLinkTable(maxLinks: number, seed: number) {
  const limit = Math.min(Math.max(1, Math.floor(maxLinks)), MOST_LINKS);
  const slots = 2 ** Math.ceil(Math.log2(limit * 1.5 + 1));
  const index = new Int32Array(slots * 2);
  const entries = log.createLinkLog();
  const table: Table = { log: entries, index, wrap: index.length - 1, limit, seed, count: 0 };
  return {
    /**
     * The code in `text` from `start` to `end` (excluded), or -1. `hash` is its `hashCode` under the table's seed. Valid
     * until the next change of the table.
     */
    find(hash: number, text: string, start: number, end: number): number {
      const slot = findSlot(table, hash, text, start, end);
      if (slot < 0) return -1;
      const address = index[slot + 1]! - 1;
      log.markUsed(entries, address);
      return address;
    },
    id: (address: number): number => log.idAt(entries, address),
    /** Epoch milliseconds, 0 for never. */
    expiresAt: (address: number): number => log.expiresAtAt(entries, address),
    /** Epoch seconds. */
    storedAt: (address: number): number => log.storedAtAt(entries, address),
    location: (address: number): string => log.locationAt(entries, address),
    /**
     * `code` has 1 to 140 ASCII characters, `location` at most 65,535; `id` and `expiresAt` are below 2^53. False if one
     * is too long: then the table has no such code.
     */
    set(code: string, id: number, expiresAt: number, location: string, storedAt: number): boolean {
      remove(table, code);
      const fits = code.length > 0 && code.length <= MAX_KEY_LENGTH;
      if (!fits || location.length > log.MAX_LOCATION_LENGTH) return false;
      if (table.count >= limit) evictOne(table);
      const address = log.append(entries, code, id, expiresAt, location, storedAt);
      insert(table, hashCode(code, 0, code.length, seed), address);
      compact(table, log.entryWords(entries, address));
      return true;
    },
    /** Whether it existed. */
    delete(code: string): boolean {
      const freedWords = remove(table, code);
      compact(table, freedWords);
      return freedWords > 0;
    },
    /** Sets the time of storing, epoch seconds. */
    restamp: (address: number, storedAt: number): void => log.setStoredAt(entries, address, storedAt),
    clear(): void {
      index.fill(0);
      log.clearLog(entries);
      table.count = 0;
    },
    size: (): number => table.count,
    /** With the index. */
    bytes: (): number => index.byteLength + log.logBytes(entries),
  };
}

/** Or -1. */
function findSlot(table: Table, hash: number, text: string, start: number, end: number): number {
  const { index, wrap } = table;
  let slot = (hash << 1) & wrap;
  for (let entry = index[slot + 1]!; entry !== 0; entry = index[slot + 1]!) {
    if (index[slot] === hash && log.isCodeAt(table.log, entry - 1, text, start, end)) return slot;
    slot = (slot + 2) & wrap;
  }
  return -1;
}

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

/** Moves later entries closer to their home. */
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

/** Returns the freed words of the log; 0 if missing. */
function remove(table: Table, code: string): number {
  const slot = findSlot(table, hashCode(code, 0, code.length, table.seed), code, 0, code.length);
  if (slot < 0) return 0;
  const address = table.index[slot + 1]! - 1;
  emptySlot(table, slot);
  log.markDead(table.log, address);
  return log.entryWords(table.log, address);
}

/** Rewrites an entry that the tail passed. */
function keep(table: Table, address: number): void {
  const slot = slotOf(table, address);
  table.index[slot + 1] = log.copyToHead(table.log, address) + 1;
}

/** There must be an entry. */
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

/** Moves the tail while there is too much dead room, for at most about twice the used words. */
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
