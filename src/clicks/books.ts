/** accepted = stored + pending + dropped, at any time. */
import type { Clock } from "../lib/clock.ts";
import type { DetailGate, DetailStats } from "./details/gate.ts";
import type { FlushReport } from "./flush.thread.ts";
import type { SettledClicks } from "./flush/source.ts";
import type { FlushTrigger } from "./flush/schedule.ts";
import type { JournalDrop, JournalStats } from "./journal/journal.ts";
import { readFileSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { BOOKS_SNAPSHOT_NAME } from "./journal/slot.ts";

type ClickDrop = JournalDrop | "link_deleted";
type FlushOutcome = `${FlushTrigger} ${FlushReport["status"]}`;

export type ClickStats = {
  /** Calls of record() since the start, and counted clicks of dead processes. */
  accepted: number;
  /** Accepted by dead processes. */
  replayed: number;
  /** Counted in the database. */
  stored: number;
  /** Clicks in the journal; on a full disk `overflow` of them are in memory. */
  pending: number;
  overflow: number;
  dropped: Readonly<Record<ClickDrop, number>>;
  /** The part from automated visitors; balances like all. */
  automated: { accepted: number; stored: number; pending: number; dropped: number };
  details: DetailStats;
  /** Flushes that failed or counted something. */
  flushes: Readonly<Record<FlushOutcome, number>>;
  lastFlush: FlushReport | null;
  /** The last flush by outcome, epoch milliseconds; 0: none. */
  flushedAt: Readonly<Record<FlushReport["status"], number>>;
};

export function createClickBooks(details: Pick<DetailGate, "settled" | "stats">, clock: Clock) {
  let replayed = 0;
  let stored = 0;
  let deleted = 0;
  const ofAutomated = { replayed: 0, stored: 0, deleted: 0 };
  let lastFlush: FlushReport | null = null;
  const flushedAt = { success: 0, failed: 0 };
  const flushes: Record<FlushOutcome, number> = {
    "interval success": 0,
    "interval failed": 0,
    "threshold success": 0,
    "threshold failed": 0,
    "manual success": 0,
    "manual failed": 0,
  };
  return {
    settled(settled: SettledClicks): void {
      stored += settled.stored;
      deleted += settled.deleted;
      ofAutomated.stored += settled.automated.stored;
      ofAutomated.deleted += settled.automated.deleted;
      details.settled(settled.details, settled.replayed);
      if (!settled.replayed) return;
      replayed += settled.stored + settled.deleted;
      ofAutomated.replayed += settled.automated.stored + settled.automated.deleted;
    },
    flushed(report: FlushReport): void {
      flushedAt[report.status] = clock.now();
      if (report.clicks === 0 && report.status === "success") return;
      lastFlush = report;
      flushes[`${report.trigger} ${report.status}`] += 1;
    },
    stats({ written, overflow, dropped: lost, automated }: JournalStats): ClickStats {
      const dropped = { ...lost, link_deleted: deleted };
      const held = automated.written + automated.overflow + ofAutomated.replayed;
      const unwritten = Object.values(lost).reduce((sum, count) => sum + count, 0);
      return {
        accepted: written + overflow + unwritten + replayed,
        replayed,
        stored,
        pending: written + overflow + replayed - stored - deleted,
        overflow,
        dropped,
        automated: {
          accepted: held + automated.dropped,
          stored: ofAutomated.stored,
          pending: held - ofAutomated.stored - ofAutomated.deleted,
          dropped: automated.dropped + ofAutomated.deleted,
        },
        details: details.stats(),
        flushes,
        lastFlush,
        flushedAt,
      };
    },
  };
}

const count = z.int().nonnegative();
const drops = z.record(z.string(), count);
const BOOKS = z.object({
  pid: count,
  written_at: z.iso.datetime(),
  accepted: count,
  replayed: count,
  stored: count,
  pending: count,
  dropped: drops,
  automated: z.object({ accepted: count, stored: count, pending: count, dropped: count }),
  details: z.object({ recorded: count, logged: count, pending: count, dropped: drops }),
});

export type BooksSnapshot = z.infer<typeof BOOKS>;

type Options = { dir: string; stats(): ClickStats; clock: Clock; onError(error: unknown): void };

/**
 * Writes the books of this process (ClickStats) beside its journal, once a second while they change, for `waymark
 * status`.
 */
export function createBooksSnapshotWriter({ dir, stats, clock, onError }: Options) {
  const path = join(dir, BOOKS_SNAPSHOT_NAME);
  const unfinished = `${path}.tmp`;
  let last = "";
  let busy: Promise<void> | null = null;

  const write = async (books: string): Promise<void> => {
    const text = `{"pid":${process.pid},"written_at":"${new Date(clock.now()).toISOString()}",${books.slice(1)}\n`;
    await writeFile(unfinished, text, { mode: 0o600 });
    await rename(unfinished, path);
    last = books;
  };

  return {
    /** Writes changes since the last call. Never rejects. */
    async update(): Promise<void> {
      const { accepted, replayed, stored, pending, dropped, automated, details } = stats();
      const books = JSON.stringify({ accepted, replayed, stored, pending, dropped, automated, details });
      if (books === last || busy !== null) return;
      busy = write(books).catch(onError);
      await busy;
      busy = null;
    },
    async remove(): Promise<void> {
      await busy;
      await Promise.all([path, unfinished].map((name) => rm(name, { force: true }))).catch(onError);
    },
  };
}

/** Returns null without a readable snapshot. */
export function readBooksSnapshot(slotDir: string): BooksSnapshot | null {
  try {
    return BOOKS.parse(JSON.parse(readFileSync(join(slotDir, BOOKS_SNAPSHOT_NAME), "utf8")));
  } catch {
    return null;
  }
}
