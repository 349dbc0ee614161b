/**
 * Flushes every interval, and earlier if enough clicks wait, but at most a twentieth of the time: larger flushes are
 * cheaper per click. After a failure the pause doubles up to half a minute.
 */
import type { FlushTrigger } from "./flush.ts";

export type FlushSchedule = ReturnType<typeof createFlushSchedule>;

export type ScheduleOptions = {
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
