/**
 * The Bloom filter over all codes.
 *
 * It excludes nothing before the first load and after `distrust`. A load reads all codes as hashes (four bytes each)
 * and fills a filter of the right size in slices, which replaces the old one. Codes added meanwhile go into both.
 * Deleted codes stay until the next load: at the rebuild interval, or earlier if more codes were added than fit.
 */
import { type Bloom, createBloom } from "../../lib/bloom.ts";
import { hashCode, hashCodes } from "../../lib/code-hash.ts";
import type { Logger } from "../../lib/logger.ts";
import type { LoadPace } from "./load-pace.ts";

export type CodeFilter = {
  /** Certainly no link has a code with this hash. */
  excludes(hash: number): boolean;
  add(code: string): void;
  isTrusted(): boolean;
  start(): void;
  reschedule(): void;
  /** Excludes nothing until the next load: codes may be missing. */
  distrust(): void;
  /** Resolves when it is trusted, or closed. */
  ready(): Promise<void>;
  close(): void;
  bytes(): number;
};

type Deps = {
  /** Several per text, separated by blanks. Codes added meanwhile may be missing. */
  loadCodes(): AsyncIterable<string>;
  /** Seconds between two loads, 0 for never; read before each load. */
  rebuildSeconds(): number;
  pace: LoadPace;
  seed: number;
  logger: Logger;
};

const RETRY_MS = 1_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** Codes between two rests: less than half a millisecond. */
const SLICE = 2_000;
const SMALLEST_CAPACITY = 10_000;
const SPARE = 1.25;

export function createCodeFilter({ loadCodes, rebuildSeconds, pace, seed, logger }: Deps): CodeFilter {
  let filter: Bloom | null = null;
  let room = 0;
  let loading: HashList | null = null;
  let isComplete = true;
  let closed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let trusted = Promise.withResolvers<void>();

  const hashOf = (code: string): number => hashCode(code, 0, code.length, seed);

  /** False if closed meanwhile, or if codes may be missing. */
  async function load(hashes: HashList): Promise<boolean> {
    isComplete = true;
    for await (const codes of loadCodes()) {
      await pace.rest();
      if (closed || !isComplete) return false;
      hashCodes(codes, seed, hashes.add);
    }
    const next = createBloom(Math.max(SMALLEST_CAPACITY, Math.ceil(hashes.size() * SPARE)));
    for (let from = 0; from < hashes.size(); from += SLICE) {
      await pace.rest();
      hashes.forEach(from, Math.min(from + SLICE, hashes.size()), next.add);
    }
    if (closed || !isComplete) return false;
    // No await since the last slice, so no code is missing.
    filter = next;
    room = next.capacity - hashes.size();
    return true;
  }

  async function reload(): Promise<void> {
    const hashes = createHashList();
    loading = hashes;
    let isDone = false;
    let pause = 0;
    try {
      isDone = await load(hashes);
    } catch (error) {
      logger.warn({ err: error }, "codes for the Bloom filter could not be read; retrying");
      pause = RETRY_MS;
    }
    loading = null;
    hashes.free();
    if (isDone) {
      trusted.resolve();
      scheduleRebuild();
    } else schedule(pause);
  }

  function scheduleRebuild(): void {
    const seconds = rebuildSeconds();
    if (seconds > 0) schedule(seconds * 1000);
    else clearTimeout(timer);
  }

  function schedule(delay: number): void {
    if (closed || loading !== null) return;
    clearTimeout(timer);
    timer = setTimeout(() => void reload(), Math.min(delay, LONGEST_TIMER_MS));
    timer.unref();
  }

  return {
    excludes: (hash) => filter !== null && !filter.mayHave(hash),
    add(code) {
      const hash = hashOf(code);
      loading?.add(hash);
      if (filter === null || filter.mayHave(hash)) return;
      filter.add(hash);
      room--;
      if (room === 0) schedule(0);
    },
    isTrusted: () => filter !== null,
    reschedule() {
      if (filter !== null) scheduleRebuild();
    },
    start: () => void reload(),
    distrust() {
      if (filter !== null) trusted = Promise.withResolvers();
      filter = null;
      isComplete = false;
      schedule(0);
    },
    ready: () => trusted.promise,
    close() {
      closed = true;
      clearTimeout(timer);
      trusted.resolve();
    },
    bytes: () => filter?.bytes ?? 0,
  };
}

type HashList = ReturnType<typeof createHashList>;

/** A growing list without copies, whose memory is freed at once. */
function createHashList() {
  const SHIFT = 16;
  const blocks: Int32Array<ArrayBuffer>[] = [];
  let size = 0;
  return {
    add(hash: number): void {
      if (size >>> SHIFT === blocks.length) blocks.push(new Int32Array(1 << SHIFT));
      blocks[size >>> SHIFT]![size & ((1 << SHIFT) - 1)] = hash;
      size++;
    },
    forEach(from: number, to: number, use: (hash: number) => void): void {
      for (let at = from; at < to; at++) use(blocks[at >>> SHIFT]![at & ((1 << SHIFT) - 1)]!);
    },
    size: () => size,
    free(): void {
      for (const block of blocks.splice(0)) block.buffer.transfer(0);
    },
  };
}
