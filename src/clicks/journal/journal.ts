/**
 * The writing end of the click journal (format.ts).
 *
 * `record` makes one comparison before its stores. `stop` is the nearest place that needs other work: the segment's
 * end, the mark for preparing the next one, the click that makes a flush due, or 0 without a segment or while off.
 */
import type { Clock } from "../../lib/clock.ts";
import { createDetailsRecord, type VisitDetails } from "./details-record.ts";
import {
  CHECK_MASK,
  classedKind,
  countKind,
  type DetailRefusal,
  digestWord,
  FIRST_RECORD,
  isAutomatedKind,
  recordHeaderWord,
  KIND_COUNT,
  KIND_DETAILS,
  KIND_FILLER,
  PAGE_BYTES,
  RECORD_BYTES,
  recordCheck,
} from "./format.ts";
import { latestClicks, type RecentClick } from "./reader.ts";
import type { Overflow, SegmentSupply, SupplyProblem } from "./supply.ts";
import type { Segment } from "./segment.ts";

export type JournalDrop = SupplyProblem | "closed";

export type Journal = ReturnType<typeof createJournal>;

export type JournalStats = {
  written: number;
  overflow: number;
  dropped: Readonly<Record<JournalDrop, number>>;
  /** The part from automated visitors. */
  automated: Readonly<{ written: number; overflow: number; dropped: number }>;
};

type JournalOptions = {
  supply: SegmentSupply;
  overflow: Overflow;
  clock: Clock;
  onOpened(segment: Segment): void;
  /** Its writer is done. */
  onSealed(segment: Segment): void;
  onDue(): void;
};

/** Rows of `journals` must outlive their segments. */
const MAX_AGE_MS = 24 * 3600_000;
const RECORD_WORDS = RECORD_BYTES / 4;
/** A plain record's length, as in word 0. */
const ONE_UNIT = recordHeaderWord(0, RECORD_BYTES);
const FIRST_WORD = FIRST_RECORD / 4;
const PAGE_WORDS = PAGE_BYTES / 4;
const TWO_32 = 2 ** 32;
const NO_WORDS = new Int32Array(0);

export function createJournal(options: JournalOptions) {
  const { supply, overflow } = options;
  const gate = { enabled: true, closed: false, dueAt: Number.POSITIVE_INFINITY };
  const dropped = { journal_full: 0, disk_full: 0, disk_error: 0, disk_slow: 0, closed: 0 };
  let segment: Segment | null = null;
  let openedAt = 0;
  let words: Int32Array = NO_WORDS;
  let seed = 0;
  let at = 0;
  let limit = 0;
  let stop = 0;
  let written = 0;
  let detailed = 0;
  const automated = { written: 0, overflow: 0, dropped: 0 };
  const detailsRecord = createDetailsRecord();
  let timeOf = 0;
  let timeLow = 0;
  let timeHigh = 0;

  const splitTime = (atMs: number): void => {
    timeOf = atMs;
    timeLow = atMs | 0;
    timeHigh = Math.floor(atMs / TWO_32) << 21;
  };

  const store = (linkId: number, atMs: number, kind: number): void => {
    const place = at;
    if (atMs !== timeOf) splitTime(atMs);
    const low = linkId | 0;
    const high = timeHigh | (linkId < TWO_32 ? 0 : Math.floor(linkId / TWO_32));
    words[place + 1] = low;
    words[place + 2] = high;
    words[place + 3] = timeLow;
    // recordCheck() of format.ts, inlined.
    let hash = Math.imul(low ^ seed ^ place, 0x9e3779b1);
    hash = Math.imul(hash ^ (hash >>> 15) ^ high, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13) ^ timeLow, 0xc2b2ae35);
    words[place] = (hash & CHECK_MASK) | kind | ONE_UNIT;
    at = place + RECORD_WORDS;
    written += 1;
    if (isAutomatedKind(kind)) automated.written += 1;
  };

  const storeDraft = (linkId: number, atMs: number, length: number, isAutomated: boolean): void => {
    const place = at;
    if (atMs !== timeOf) splitTime(atMs);
    const low = linkId | 0;
    const high = timeHigh | (linkId < TWO_32 ? 0 : Math.floor(linkId / TWO_32));
    let digest = 0;
    for (let index = 4; index < length; index++) {
      const word = detailsRecord.words[index]!;
      words[place + index] = word;
      digest = digestWord(digest, word);
    }
    words[place + 1] = low;
    words[place + 2] = high;
    words[place + 3] = timeLow;
    const kind = classedKind(KIND_DETAILS, isAutomated);
    words[place] = recordCheck(seed ^ digest, place, low, high, timeLow) | recordHeaderWord(kind, length * 4);
    at = place + length;
    written += 1;
    detailed += 1;
    if (isAutomated) automated.written += 1;
  };

  /** Makes room for `length` words in one page; ends a page without. */
  const makeRoomFor = (length: number): boolean => {
    for (;;) {
      if (at >= stop && !makeRoom()) return false;
      const room = PAGE_WORDS - (at % PAGE_WORDS);
      if (room >= length) return true;
      words[at] = recordCheck(seed, at, 0, 0, 0) | recordHeaderWord(KIND_FILLER, room * 4);
      at += room;
    }
  };

  const recordSlowly = (linkId: number, atMs: number, kind: number): void => {
    if (!gate.enabled) return;
    if (!gate.closed && makeRoom()) return store(linkId, atMs, kind);
    const isHeld = !gate.closed && overflow.push(linkId, atMs, kind);
    if (!isHeld) dropped[gate.closed ? "closed" : supply.problem()] += 1;
    if (isAutomatedKind(kind)) automated[isHeld ? "overflow" : "dropped"] += 1;
  };

  /** From the overflow. */
  const storeHeld = (linkId: number, atMs: number, kind: number): boolean => {
    if (!makeRoom()) return false;
    store(linkId, atMs, kind);
    if (isAutomatedKind(kind)) automated.overflow -= 1;
    return true;
  };

  /** True if a segment has room. Does the work due here and finds the next `stop`. */
  const makeRoom = (): boolean => {
    if (at >= limit && !openNext()) return false;
    if (written >= gate.dueAt) {
      gate.dueAt = Number.POSITIVE_INFINITY;
      options.onDue();
    }
    if (at >= limit >> 2) askForNext();
    setStop();
    return true;
  };

  const setStop = (): void => {
    const mark = limit >> 2;
    const due = at + Math.max(1, gate.dueAt - written) * RECORD_WORDS;
    stop = gate.enabled ? Math.min(limit, due, at < mark ? mark : limit) : 0;
  };

  const seal = (): void => {
    if (!segment) return;
    options.onSealed(segment);
    segment = null;
    words = NO_WORDS;
    at = limit = stop = 0;
  };

  const openNext = (): boolean => {
    const wasOpen = segment !== null;
    seal();
    segment = supply.take();
    if (!segment) {
      if (wasOpen) askForNext();
      return false;
    }
    openedAt = options.clock.now();
    ({ words, seed } = segment);
    at = FIRST_WORD;
    limit = words.length;
    setStop();
    options.onOpened(segment);
    return true;
  };

  const askForNext = (): void => void supply.prepare().then(refill);

  const refill = (): void => {
    if (!gate.closed && overflow.size() > 0) overflow.drain(storeHeld);
  };

  return {
    /**
     * 1 ≤ linkId < 2^53, time in epoch ms. Never throws, allocates nothing. The click then survives the process, unless
     * it went to the overflow (see stats).
     */
    record: (linkId: number, atMs: number, isAutomated = false): void => {
      const kind = classedKind(KIND_COUNT, isAutomated);
      if (at < stop) store(linkId, atMs, kind);
      else recordSlowly(linkId, atMs, kind);
    },
    /** Like record, for a click whose details were refused. */
    recordRefused: (linkId: number, atMs: number, refused: DetailRefusal, isAutomated = false): void => {
      const kind = countKind(refused, isAutomated);
      if (at < stop) store(linkId, atMs, kind);
      else recordSlowly(linkId, atMs, kind);
    },
    isEnabled: (): boolean => gate.enabled,
    /**
     * Like record, with what the visitor sent. False if only the click was kept, as "disconnected", without a segment.
     */
    recordDetails(linkId: number, atMs: number, details: VisitDetails, isAutomated = false): boolean {
      const length = detailsRecord.write(details) / 4;
      if (gate.enabled && !gate.closed && makeRoomFor(length)) {
        storeDraft(linkId, atMs, length, isAutomated);
        return true;
      }
      recordSlowly(linkId, atMs, countKind("disconnected", isAutomated));
      return false;
    },
    /** Without a segment (full disk) clicks go to the overflow. */
    async start(): Promise<void> {
      await supply.prepare();
      openNext();
    },
    /** While off, no book counts the click. */
    setEnabled(on: boolean): void {
      gate.enabled = on;
      setStop();
    },
    /** Calls onDue once after this many more clicks. */
    dueAfter(clicks: number): void {
      gate.dueAt = written + clicks;
      setStop();
    },
    /** Call it every second: retries for space, empties the overflow, ends segments after a day. */
    tick(): void {
      const isOld = at > FIRST_WORD && Math.abs(options.clock.now() - openedAt) >= MAX_AGE_MS;
      if (isOld && supply.isReady()) openNext();
      else if (isOld || at >= limit >> 2) askForNext();
    },
    /** Ends the open segment, so that the flush removes its file. False without room for the next one. */
    async roll(): Promise<boolean> {
      if (at <= FIRST_WORD) return true;
      if (!supply.isReady()) await supply.prepare();
      return supply.isReady() && openNext();
    },
    /** Drops later clicks with reason "closed". */
    async close(): Promise<void> {
      for (let left = 0; overflow.size() > 0 && overflow.size() !== left; ) {
        left = overflow.size();
        await supply.prepare();
        refill();
      }
      gate.closed = true;
      seal();
      overflow.drain(() => (dropped[supply.problem()] += 1) > 0);
      automated.dropped += automated.overflow;
      automated.overflow = 0;
      await supply.close();
    },
    /** The latest clicks of the current segment (latestClicks). */
    latest: (sinceMs: number, most: number): RecentClick[] => latestClicks(words, at, sinceMs, most),
    detailed: (): number => detailed,
    stats: (): JournalStats => ({ written, overflow: overflow.size(), dropped, automated: { ...automated } }),
  };
}
