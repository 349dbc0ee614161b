import type { ClickBatch } from "../journal/reader.ts";

/**
 * Flushes every interval, and earlier if enough clicks wait, but at most a twentieth of the time: larger flushes are
 * cheaper per click. After a failure the pause doubles up to half a minute.
 */
export type FlushTrigger = "interval" | "threshold" | "manual";

export type FlushSchedule = ReturnType<typeof createFlushSchedule>;

type ScheduleOptions = {
  intervalMs: number;
  /** Reports its failure and rejects. */
  flush(trigger: FlushTrigger): Promise<void>;
  /** Monotonic, in ms. */
  now(): number;
};

const REST_FACTOR = 19;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

export function createFlushSchedule({ intervalMs: firstInterval, flush, now }: ScheduleOptions) {
  let intervalMs = firstInterval;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running = 0;
  let active = false;
  let isDue = false;
  let endedAt = Number.NEGATIVE_INFINITY;
  let tookMs = 0;
  let failures = 0;

  const run = async (trigger: FlushTrigger): Promise<void> => {
    clearTimeout(timer);
    isDue = false;
    running += 1;
    const startedAt = now();
    try {
      await flush(trigger);
      failures = 0;
    } catch (error) {
      failures += 1;
      throw error;
    } finally {
      running -= 1;
      endedAt = now();
      tookMs = endedAt - startedAt;
      plan();
    }
  };

  const plan = (): void => {
    clearTimeout(timer);
    if (!active || running > 0) return;
    const pause = failures === 0 ? 0 : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
    const rest = isDue ? Math.min(intervalMs, tookMs * REST_FACTOR) : intervalMs;
    const wait = Math.max(pause, rest) - (now() - endedAt);
    const trigger = isDue ? "threshold" : "interval";
    timer = setTimeout(() => void run(trigger).catch(() => {}), Math.max(0, wait));
  };

  return {
    /** Flushes now, then on schedule. */
    start(): void {
      active = true;
      plan();
    },
    setInterval(ms: number): void {
      intervalMs = ms;
      plan();
    },
    /** Enough clicks wait. */
    due(): void {
      isDue = true;
      plan();
    },
    /** Rejects if the flush fails. */
    flushNow: (): Promise<void> => run("manual"),
    stop(): void {
      active = false;
      clearTimeout(timer);
    },
  };
}

export type Pace = ReturnType<typeof createPace>;

/** Per transaction, which blocks other writers for about 0.4 s. */
const MOST_LINKS = 110_000;
const REST_PER_WORK = 1.5;
const LONGEST_REST_MS = 3_000;
/** About four million clicks. The journal holds sixteen times as many. */
const MOST_SEGMENTS = 8;

/**
 * Rests between the transactions of a flush, so that it takes at most two fifths of a busy core, except when much
 * waits: the journal is bounded.
 */
export function createPace() {
  const resting = new Set<() => void>();
  let waiting = 0;
  return {
    /** Takes the transaction's time and the number of waiting segments. Returns at once during `hurry`. */
    async rest(tookMs: number, segments: number): Promise<void> {
      if (waiting > 0 || segments > MOST_SEGMENTS) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, Math.min(LONGEST_REST_MS, tookMs * REST_PER_WORK));
      resting.add(resolve);
      await promise;
      resting.delete(resolve);
      clearTimeout(timer);
    },
    /** Does not rest during this work (a manual flush, the shutdown). */
    async hurry<T>(work: () => Promise<T>): Promise<T> {
      waiting += 1;
      for (const wake of resting) wake();
      try {
        return await work();
      } finally {
        waiting -= 1;
      }
    },
  };
}

/** More clicks per link in one transaction are cheaper. */
export function fitBatch(batch: ClickBatch, links: number): void {
  const isBound = batch.count === batch.limit;
  if (!isBound && links <= MOST_LINKS) return;
  const fitting = Math.floor(batch.count * Math.min(2, MOST_LINKS / links));
  batch.limit = Math.min(fitting, batch.links.length);
}
