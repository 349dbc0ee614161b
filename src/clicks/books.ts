/** accepted = stored + pending + dropped, at any time. */
import type { Clock } from "../lib/clock.ts";
import type { DetailGate, DetailStats } from "./details/gate.ts";
import type { FlushReport } from "./flush-messages.ts";
import type { SettledClicks } from "./flush/source.ts";
import type { FlushTrigger } from "./flush/flush.ts";
import type { JournalDrop, JournalStats } from "./journal/journal.ts";

export type ClickDrop = JournalDrop | "link_deleted";
type FlushOutcome = `${FlushTrigger} ${FlushReport["status"]}`;

export type ClickStats = {
  /** Calls of record() since the start, and counted clicks of dead processes. */
  accepted: number;
  /** Accepted by dead processes. */
  replayed: number;
  /** Counted in the database. */
  stored: number;
  /** In the journal; on a full disk `overflow` of them in memory. */
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
