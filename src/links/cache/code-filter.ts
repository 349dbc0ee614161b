/**
 * The Bloom filter over all codes.
 *
 * It excludes nothing before the first load and after `distrust`. A load reads all codes as hashes (four bytes each)
 * and fills a filter of the right size in slices, which replaces the old one. Codes added meanwhile go into both.
 * Deleted codes stay until the next load: at the rebuild interval, or earlier if more codes were added than fit.
 */
import { type Bloom, createBloom } from "./bloom.ts";
import { hashCode, hashCodes } from "../../lib/code-hash.ts";
import type { Logger } from "../../lib/logger.ts";
import type { LoadPace } from "./loading.ts";
import { createGenerationMap } from "../../lib/generation-map.ts";
import { ownText } from "../../lib/own-text.ts";

type Deps = {
  /** Several a text, separated by blanks. Codes added meanwhile may be missing. */
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

export function createCodeFilter({ loadCodes, rebuildSeconds, pace, seed, logger }: Deps) {
  let filter: Bloom | null = null;
  let room = 0;
  let loading: Loading | null = null;
  let isComplete = true;
  let closed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let trusted = Promise.withResolvers<void>();

  const hashOf = (code: string): number => hashCode(code, 0, code.length, seed);

  /** False if closed meanwhile, or if codes may be missing. */
  async function load({ hashes, added }: Loading): Promise<boolean> {
    isComplete = true;
    for await (const codes of loadCodes()) {
      await pace.rest();
      if (closed || !isComplete) return false;
      hashCodes(codes, seed, hashes.add);
    }
    const next = createBloom(Math.max(SMALLEST_CAPACITY, Math.ceil(hashes.size() * SPARE)));
    await inSlices(hashes, (at) => next.add(hashes.at(at)));
    const done = await inSlices(added, (at) => next.add(added.at(at)));
    if (closed || !isComplete) return false;
    // No await from here on, so no code is missing.
    for (let at = done; at < added.size(); at++) next.add(added.at(at));
    filter = next;
    room = next.capacity - hashes.size() - added.size();
    return true;
  }

  /** Returns how many it took; more may have come. */
  async function inSlices(list: IntList, use: (at: number) => void): Promise<number> {
    let done = 0;
    while (done < list.size()) {
      await pace.rest();
      for (const end = Math.min(done + SLICE, list.size()); done < end; done++) use(done);
    }
    return done;
  }

  async function reload(): Promise<void> {
    loading = { hashes: createIntList(), added: createIntList() };
    const lists = Object.values(loading);
    let isDone = false;
    let pause = 0;
    try {
      isDone = await load(loading);
    } catch (error) {
      logger.warn({ err: error }, "codes for the Bloom filter could not be read; retrying");
      pause = RETRY_MS;
    }
    loading = null;
    for (const list of lists) list.free();
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
    /** Certainly no link has a code with this hash. */
    excludes: (hash: number): boolean => filter !== null && !filter.mayHave(hash),
    /** Adds a code that may be new. Reloads when there is no room for more. */
    add(code: string): void {
      const hash = hashOf(code);
      loading?.added.add(hash);
      if (filter === null || filter.mayHave(hash)) return;
      filter.add(hash);
      room--;
      if (room === 0) schedule(0);
    },
    isTrusted: (): boolean => filter !== null,
    reschedule(): void {
      if (filter !== null) scheduleRebuild();
    },
    start: (): void => void reload(),
    /** Excludes nothing until the next load: codes may be missing. */
    distrust(): void {
      if (filter !== null) trusted = Promise.withResolvers();
      filter = null;
      isComplete = false;
      schedule(0);
    },
    /** Resolves when it is trusted, or closed. */
    ready: (): Promise<void> => trusted.promise,
    close(): void {
      closed = true;
      clearTimeout(timer);
      trusted.resolve();
    },
    bytes: (): number => filter?.bytes ?? 0,
  };
}

type Loading = {
  readonly hashes: IntList;
  /** Hashes of codes that were added meanwhile. */
  readonly added: IntList;
};

type IntList = ReturnType<typeof createIntList>;

/** A list of 32-bit integers that grows without copies. Its memory is freed at once. */
function createIntList() {
  const SHIFT = 16;
  const blocks: Int32Array<ArrayBuffer>[] = [];
  let size = 0;
  return {
    add(value: number): void {
      if (size >>> SHIFT === blocks.length) blocks.push(new Int32Array(1 << SHIFT));
      blocks[size >>> SHIFT]![size & ((1 << SHIFT) - 1)] = value;
      size++;
    },
    at: (index: number): number => blocks[index >>> SHIFT]![index & ((1 << SHIFT) - 1)]!,
    size: () => size,
    free(): void {
      for (const block of blocks.splice(0)) block.buffer.transfer(0);
    },
  };
}

/** At most `limit` codes, each remembered for half to all of the lifetime unless evicted. */
export function createMissingCodes({ limit, lifeMs }: { limit: number; lifeMs: number }) {
  const codes = createGenerationMap<true>(Math.ceil(limit / 2));
  let turnedAt = Number.NEGATIVE_INFINITY;

  function forgetOld(now: number): void {
    const age = now - turnedAt;
    // After a clock was set back everything is too old.
    if (age >= 0 && age < lifeMs / 2) return;
    if (age < 0 || age >= lifeMs) codes.clear();
    else codes.turn();
    turnedAt = now;
  }

  return {
    has(code: string, now: number): boolean {
      if (codes.size() === 0) return false;
      forgetOld(now);
      return codes.has(code);
    },
    add(code: string, now: number): void {
      forgetOld(now);
      codes.set(ownText(code), true);
    },
    delete: codes.delete,
    clear: codes.clear,
    size: codes.size,
  };
}
