/**
 * Counts journals into the database exactly once.
 *
 * A segment's position (table journals) moves in the transaction that adds its clicks, and only from the value where
 * this flusher started. After a commit with unknown outcome, or if another process counted the segment meanwhile, the
 * position is read again.
 */
import { createDetailsParser, type DetailsParser } from "../details/details.ts";
import { AppError } from "../../lib/errors.ts";
import {
  createSource,
  drainSource,
  type DrainContext,
  type SegmentSource,
  type SourceState,
} from "./source.ts";
import { createBatch, type ClickBatch, openSegmentReader } from "../journal/reader.ts";
import { FIRST_RECORD } from "../journal/format.ts";

type FlushResult = { clicks: number; links: number };

export type Flusher = ReturnType<typeof createFlusher>;

type Shared = "repository" | "instance" | "journalDir" | "clock" | "logger" | "onSettled";

type FlusherOptions = Pick<DrainContext, Shared> & {
  /** Without one, details have no places. */
  parser?: DetailsParser;
  /** See FlushWork; unlimited by default. */
  mostLogRows?(): number;
  /** See createPace. Default: no rests. */
  rest?(tookMs: number, segments: number): Promise<void>;
  /** Per transaction. */
  batchClicks?: number;
  /** Per transaction. */
  batchDetails?: number;
};

/** source.ts adapts to the number of links. */
const DEFAULT_BATCH_CLICKS = 1_048_576;
const FIRST_BATCH_CLICKS = 40_000;
/** About 0.2 s of work, because a transaction blocks other writers. */
const DEFAULT_BATCH_DETAILS = 20_000;

export function createFlusher(options: FlusherOptions) {
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

  /** An unreadable file does not stop the others, a missing database does. */
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
          "a click journal can't be read; it will be retried",
        );
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
    return done;
  };

  return {
    /** `onRetired` runs when the file is gone. */
    add: (state: SourceState, onRetired: () => void): void =>
      void sources.set(state.path, createSource(state, onRetired)),
    /** The segment's writer is done. */
    seal(path: string): void {
      const source = sources.get(path);
      if (source) source.final = true;
    },
    /** Calls run in turn. Rejects when the database does. */
    flush(): Promise<FlushResult> {
      const run = last.then(flushAll);
      last = run.catch(() => {});
      return run;
    },
    /** Distinct links within the first 262,144 uncounted clicks. */
    pendingLinks: (): number => countPendingLinks([...sources.values()]),
  };
}

const MOST_CLICKS = 262_144;
/** Usually enough; allocating for all would take longer than the count. */
const FEW_CLICKS = 4_096;

/** Within the first 262,144 uncounted clicks. */
function countPendingLinks(sources: readonly SegmentSource[]): number {
  const few = countIn(sources, createBatch(FEW_CLICKS));
  return few.isWhole ? few.links : countIn(sources, createBatch(MOST_CLICKS)).links;
}

/** All clicks, or a full batch. */
function countIn(sources: readonly SegmentSource[], batch: ClickBatch): { links: number; isWhole: boolean } {
  const pending = new Float64Array(batch.links.length);
  let size = 0;
  for (const { path, position, row, final } of sources) {
    const reader = size < pending.length ? openSegmentReader(path) : null;
    if (!reader) continue;
    reader.read(batch, position ?? row ?? FIRST_RECORD, final);
    reader.close();
    const taken = batch.links.subarray(0, Math.min(batch.count, pending.length - size));
    pending.set(taken, size);
    size += taken.length;
  }
  const sorted = pending.subarray(0, size).sort();
  const links = sorted.reduce((sum, link, at) => sum + (at === 0 || sorted[at - 1] !== link ? 1 : 0), 0);
  return { links, isWhole: size < pending.length };
}
