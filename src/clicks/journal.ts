/**
 * The writing end of the click journal: what the redirect calls. The format is in journal.format.ts.
 *
 * `record` has one comparison in front of its stores. `stop` is the nearest place where anything else is to be
 * done: the segment's end, the mark at which the next segment is made ready, the click that makes a flush due, or 0
 * when there is no segment or counting is off.
 */
import type { Clock } from "../lib/clock.ts";
import { COUNT_HEAD, CHECK_MASK, FIRST_RECORD, RECORD_BYTES } from "./journal.format.ts";
import type { Overflow } from "./journal.overflow.ts";
import type { Segment } from "./journal.segment.ts";
import type { SegmentSupply, SupplyProblem } from "./journal.supply.ts";

export type JournalDrop = SupplyProblem | "closed";

export type Journal = {
  /**
   * Keeps one click of a link (1 ≤ linkId < 2^53) at a time in epoch ms. Never throws, allocates nothing. Once it
   * returns, the click outlives the process, unless it went to the overflow (see stats).
   */
  record(linkId: number, atMs: number): void;
  /** Opens the first segment; without one (a full disk) clicks begin in the overflow. */
  start(): Promise<void>;
  /** Off: record forgets the click at once, and it is in no book. */
  setEnabled(on: boolean): void;
  /** Calls onDue once, when that many more clicks are written. */
  dueAfter(clicks: number): void;
  /** To be called once a second: retries for space, empties the overflow, ends segments that are a day old. */
  tick(): void;
  /** Ends the current segment; clicks after this are dropped with reason "closed". */
  close(): Promise<void>;
  stats(): { written: number; overflow: number; dropped: Readonly<Record<JournalDrop, number>> };
};

export type JournalOptions = {
  supply: SegmentSupply;
  overflow: Overflow;
  clock: Clock;
  onOpened(segment: Segment): void;
  /** Nothing more will be written to it. */
  onSealed(segment: Segment): void;
  onDue(): void;
};

/** Ends a segment so that no counted one waits longer for its removal than rows of `journals` are kept. */
const MAX_AGE_MS = 24 * 3600_000;
const RECORD_WORDS = RECORD_BYTES / 4;
const FIRST_WORD = FIRST_RECORD / 4;
const TWO_32 = 2 ** 32;
const NO_WORDS = new Int32Array(0);

export function createJournal(options: JournalOptions): Journal {
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
  let timeOf = 0;
  let timeLow = 0;
  let timeHigh = 0;

  const store = (linkId: number, atMs: number): void => {
    const place = at;
    if (atMs !== timeOf) {
      timeOf = atMs;
      timeLow = atMs | 0;
      timeHigh = Math.floor(atMs / TWO_32) << 21;
    }
    const low = linkId | 0;
    const high = timeHigh | (linkId < TWO_32 ? 0 : Math.floor(linkId / TWO_32));
    words[place + 1] = low;
    words[place + 2] = high;
    words[place + 3] = timeLow;
    // recordCheck() of journal.format.ts, in line.
    let hash = Math.imul(low ^ seed ^ place, 0x9e3779b1);
    hash = Math.imul(hash ^ (hash >>> 15) ^ high, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13) ^ timeLow, 0xc2b2ae35);
    words[place] = (hash & CHECK_MASK) | COUNT_HEAD;
    at = place + RECORD_WORDS;
    written += 1;
  };

  const recordSlowly = (linkId: number, atMs: number): void => {
    if (!gate.enabled) return;
    if (gate.closed) dropped.closed += 1;
    else if (makeRoom()) store(linkId, atMs);
    else if (!overflow.push(linkId, atMs)) dropped[supply.problem()] += 1;
  };

  /** True when there is a segment with room; does what is due at this place and finds the next `stop`. */
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
    if (!gate.closed && overflow.size() > 0)
      overflow.drain((linkId, atMs) => makeRoom() && (store(linkId, atMs), true));
  };

  return {
    record: (linkId, atMs) => {
      if (at < stop) store(linkId, atMs);
      else recordSlowly(linkId, atMs);
    },
    async start() {
      await supply.prepare();
      openNext();
    },
    setEnabled(on) {
      gate.enabled = on;
      setStop();
    },
    dueAfter(clicks) {
      gate.dueAt = written + clicks;
      setStop();
    },
    tick() {
      const isOld = at > FIRST_WORD && Math.abs(options.clock.now() - openedAt) >= MAX_AGE_MS;
      if (isOld && supply.isReady()) openNext();
      else if (isOld || at >= limit >> 2) askForNext();
    },
    async close() {
      for (let left = 0; overflow.size() > 0 && overflow.size() !== left; ) {
        left = overflow.size();
        await supply.prepare();
        refill();
      }
      gate.closed = true;
      seal();
      overflow.drain(() => (dropped[supply.problem()] += 1) > 0);
      await supply.close();
    },
    stats: () => ({ written, overflow: overflow.size(), dropped }),
  };
}
