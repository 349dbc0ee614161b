/**
 * Counts journals into the database, exactly once.
 *
 * A source is a segment. Its position in the database (table journals) moves in the transaction that adds its
 * clicks, and only from the value this flusher started from. So a transaction whose end is unknown (the connection
 * broke during the commit) needs no guess: the position is read again before anything else, and says whether the
 * clicks are in. The same holds for a segment that another process counted meanwhile.
 */
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import type { ClicksRepository } from "./repository.ts";
import { createDetailsParser, type DetailsParser } from "../details/details.ts";
import { AppError } from "../../lib/errors.ts";
import { countPendingLinks } from "./pending.ts";
import {
  createSource,
  drainSource,
  type SettledClicks,
  type SegmentSource,
  type SourceState,
} from "./source.ts";
import { createBatch } from "../journal/reader.ts";

export type FlushTrigger = "interval" | "threshold" | "manual";

export type FlushResult = { clicks: number; links: number };

export type Flusher = {
  /** Takes a segment in; `onRetired` is called when its file is gone. */
  add(state: SourceState, onRetired: () => void): void;
  /** The segment's writer is done with it. */
  seal(path: string): void;
  /** Counts everything written so far. Calls run one after the other. Rejects when the database does. */
  flush(): Promise<FlushResult>;
  /** Distinct links among the clicks not counted yet; beyond 262,144 clicks it looks no further. */
  pendingLinks(): number;
  /** Resolves when no flush is running. */
  idle(): Promise<void>;
};

export type FlusherOptions = {
  repository: ClicksRepository;
  /** UUID of this database. */
  instance: string;
  journalDir: string;
  clock: Clock;
  logger: Logger;
  onSettled(settled: SettledClicks): void;
  /** See DetailsParser; without one, details are taken without places. */
  parser?: DetailsParser;
  /** See FlushWork; no limit unless told. */
  mostLogRows?(): number;
  /** See flush/pace.ts; without it, one transaction follows the other. */
  rest?(tookMs: number, segments: number): Promise<void>;
  /** Clicks counted in one transaction at most. */
  batchClicks?: number;
  /** Of these, those with details. */
  batchDetails?: number;
};

/** Most clicks; how many are taken depends on the links they belong to (flush/source.ts). */
const DEFAULT_BATCH_CLICKS = 1_048_576;
const FIRST_BATCH_CLICKS = 40_000;
/** Some 0.2 s of work: a transaction must not keep other writers waiting long on a busy core. */
const DEFAULT_BATCH_DETAILS = 20_000;

export function createFlusher(options: FlusherOptions): Flusher {
  const sources = new Map<string, SegmentSource>();
  const batch = createBatch(
    options.batchClicks ?? DEFAULT_BATCH_CLICKS,
    options.batchDetails ?? DEFAULT_BATCH_DETAILS,
  );
  batch.limit = Math.min(FIRST_BATCH_CLICKS, batch.limit);
  const parser = options.parser ?? createDetailsParser();
  const mostLogRows = options.mostLogRows ?? (() => 0);
  const rest = async (tookMs: number) => options.rest?.(tookMs, sources.size);
  let last: Promise<unknown> = Promise.resolve();

  /** One unreadable file doesn't keep the others from being counted; an absent database does. */
  const flushAll = async (): Promise<FlushResult> => {
    const done: FlushResult = { clicks: 0, links: 0 };
    let failure: unknown;
    for (const source of sources.values()) {
      try {
        if (await drainSource(source, { ...options, parser, mostLogRows, rest, batch, done }))
          sources.delete(source.path);
      } catch (error) {
        if (error instanceof AppError) throw error;
        options.logger.error(
          { path: source.path, err: error },
          "a click journal can't be read; it is tried again",
        );
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
    return done;
  };

  return {
    add: (state, onRetired) => sources.set(state.path, createSource(state, onRetired)),
    seal(path) {
      const source = sources.get(path);
      if (source) source.final = true;
    },
    flush() {
      const run = last.then(flushAll);
      last = run.catch(() => {});
      return run;
    },
    pendingLinks: () => countPendingLinks([...sources.values()]),
    idle: async () => void (await last),
  };
}
