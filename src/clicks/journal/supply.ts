/**
 * Keeps one segment ready, within a bound for all segments of the folder. Without one, callers ask again once a second.
 */
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import { prepareSegment, type Segment } from "./segment.ts";
import { rm } from "node:fs/promises";

/** journal_full: at the bound (database away). The others come from the disk. */
export type SupplyProblem = "journal_full" | "disk_full" | "disk_error" | "disk_slow";

export type SegmentSupply = ReturnType<typeof createSegmentSupply>;

type SupplyOptions = {
  dir: string;
  instance: string;
  segmentBytes: number;
  maxSegments: number;
  firstSequence: number;
  /** Segments already in the folder. */
  existing: number;
  clock: Clock;
  logger: Logger;
};

const LOG_EVERY_MS = 60_000;
const FULL_DISK = new Set(["ENOSPC", "EDQUOT"]);

export function createSegmentSupply(options: SupplyOptions) {
  const { dir, instance, clock } = options;
  const report = createReporter(options);
  let ready: Segment | null = null;
  let pending: Promise<void> | null = null;
  let problem: SupplyProblem = "disk_slow";
  let files = options.existing;
  let sequence = options.firstSequence;
  let closed = false;

  const make = async () => {
    files += 1;
    try {
      const plan = {
        dir,
        instance,
        sequence: sequence++,
        bytes: options.segmentBytes,
        createdAt: clock.now(),
      };
      ready = await prepareSegment(plan);
      problem = "disk_slow";
    } catch (error) {
      files -= 1;
      problem = FULL_DISK.has(String((error as NodeJS.ErrnoException).code)) ? "disk_full" : "disk_error";
      report(problem, error);
    } finally {
      pending = null;
    }
  };

  const prepare = async () => {
    if (ready || closed) return;
    if (!pending && files >= options.maxSegments) {
      problem = "journal_full";
      report(problem);
      return;
    }
    pending ??= make();
    await pending;
  };

  return {
    /** The caller owns the segment. */
    take(): Segment | null {
      const segment = ready;
      ready = null;
      return segment;
    },
    isReady: (): boolean => ready !== null,
    /** Does nothing if a segment is ready or in preparation. Never rejects. */
    prepare,
    /** A segment's file is gone. */
    released: (): void => void (files -= 1),
    /** disk_slow during preparation. */
    problem: (): SupplyProblem => problem,
    /** Removes the prepared segment. Never rejects; the next start removes what is left. */
    async close(): Promise<void> {
      closed = true;
      await pending;
      const unused = ready;
      ready = null;
      if (unused === null) return;
      await rm(unused.path, { force: true }).catch((error: unknown) => {
        options.logger.warn({ path: unused.path, err: error }, "an empty click journal could not be removed");
      });
    },
  };
}

/** At most one log line a minute. */
function createReporter({ logger, clock, dir }: SupplyOptions) {
  let last = Number.NEGATIVE_INFINITY;
  return (problem: SupplyProblem, error?: unknown) => {
    const now = clock.now();
    if (Math.abs(now - last) < LOG_EVERY_MS) return;
    last = now;
    logger.error(
      { reason: problem, dir, err: error },
      problem === "journal_full"
        ? "the click journal has reached its bound because clicks can't be written to the database; further clicks are kept in memory, then dropped"
        : "no room for the click journal; clicks are kept in memory, then dropped",
    );
  };
}

/** Clicks without a segment: a bounded ring in memory, lost on a kill. */
export type Overflow = ReturnType<typeof createOverflow>;

export function createOverflow(capacity: number) {
  let links: Float64Array | undefined;
  let times: Float64Array | undefined;
  let kinds: Uint8Array | undefined;
  let first = 0;
  let size = 0;
  return {
    /** False if full: drop the click. */
    push(linkId: number, atMs: number, kind: number): boolean {
      if (size === capacity) return false;
      links ??= new Float64Array(capacity);
      times ??= new Float64Array(capacity);
      kinds ??= new Uint8Array(capacity);
      const place = (first + size) % capacity;
      links[place] = linkId;
      times[place] = atMs;
      kinds[place] = kind;
      size += 1;
      return true;
    },
    /** Oldest first, while `store` returns true. */
    drain(store: (linkId: number, atMs: number, kind: number) => boolean): void {
      while (size > 0 && store(links![first]!, times![first]!, kinds![first]!)) {
        first = (first + 1) % capacity;
        size -= 1;
      }
    },
    size: (): number => size,
  };
}
