/**
 * Rebuilds rollups from the click log, day by day: for tables restored from different backups, rows changed by hand,
 * and releases that parse agents or referrers better.
 *
 * The click log is incomplete beyond its retention, under sampling, with detailed logging off, after a clean-up. So no
 * count is ever lowered:
 * - A count of clicks (hour, day, month; link or total) rises to the number of raw rows, and to the sum of finer counts;
 *   the automated ones follow (see raiseTo).
 * - The values of a link on a day are rewritten if its raw rows are at least as many as its clicks with details; likewise
 *   the totals of a day and an hour. A month's values become the sum of its days', unless retention took some.
 * - Days without raw rows and hours that retention took stay as they are.
 *
 * It may run beside servers. It adds up a day outside transactions, then writes in bounded transactions, each of which
 * locks the month, as flushes do, and checks that the raw rows are unchanged. If not, it repeats the day, at last under
 * the lock. The maintenance lease keeps retention away. Repeat an interrupted rebuild.
 */
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import type { Clock } from "../../lib/clock.ts";
import { appError } from "../../lib/errors.ts";
import type { AgentProfile } from "./dimensions.ts";
import type { Maintenance } from "./retention.ts";
import { createDayRebuild, hoursOf, type RawDay, type WrittenValues } from "./rebuild-day.ts";
import { createRawRepository, createRebuildRepository } from "./rebuild.repository.ts";
import type { Calendar } from "./calendar.ts";
import { createCalendars } from "./calendar.repository.ts";
import { DAY_MS, firstDayOfMonth, monthOfDay, type Span } from "./time-buckets.ts";

export type RebuildReport = {
  /** With raw rows. */
  days: number;
  /** Raw rows read. */
  clicks: number;
  /** Counts that were too low. */
  raised: number;
  /** The values of a link and day (and totals): rewritten, and kept because raw rows are missing. */
  rewritten: number;
  kept: number;
};

type OnDay = (done: number, total: number) => void;

type Deps = {
  database: Database;
  maintenance: Maintenance;
  clock: Clock;
  describeAgent(userAgent: string): AgentProfile;
  /** Days for which retention keeps hours. */
  hourlyRetentionDays(): number;
  /** See rebuild-day.ts. Default: false. */
  trustsLog?: boolean;
};

/** Outside the lock. */
const ATTEMPTS = 3;
/** Values, and links, per transaction. */
const ROWS_AT_ONCE = 20_000;
const LINKS_AT_ONCE = 2_000;

/** Rebuilds one day, and closes months. */
function createDays({ database, clock, hourlyRetentionDays, ...deps }: Omit<Deps, "maintenance">) {
  const rollups = createRebuildRepository(database);
  const daily = createDayRebuild({ trustsLog: false, ...deps, database });

  const transact = <T>(day: number, work: (tx: Db) => Promise<T>): Promise<T> =>
    database.transaction(
      async (tx) => {
        await rollups.lockMonth(tx, monthOfDay(day));
        return work(tx);
      },
      { long: true },
    );

  /** Returns null if raw rows came meanwhile. What was written until then is right. */
  async function writeInParts(read: RawDay, hours: readonly number[]): Promise<WrittenValues | null> {
    const done: WrittenValues = { raised: 0, rewritten: 0, kept: 0 };
    const parts = partsOf(read);
    for (const links of [...parts, null]) {
      const written = await transact(read.day, async (tx) => {
        if (!(await daily.isCurrent(tx, read))) return null;
        return links === null ? daily.writeTotals(tx, read, hours) : daily.writeLinks(tx, read, links, hours);
      });
      if (written === null) return null;
      add(done, written);
    }
    return done;
  }

  async function writeAtOnce(
    day: number,
    hours: readonly number[],
    calendar: Calendar,
  ): Promise<WrittenValues & { clicks: number }> {
    return transact(day, async (tx) => {
      const read = await daily.add(tx, day, calendar);
      const done: WrittenValues = { raised: 0, rewritten: 0, kept: 0 };
      for (const links of partsOf(read)) add(done, await daily.writeLinks(tx, read, links, hours));
      add(done, await daily.writeTotals(tx, read, hours));
      return { ...done, clicks: read.rollup.clicks };
    });
  }

  async function rebuildDay(day: number, calendar: Calendar): Promise<WrittenValues & { clicks: number }> {
    const oldest = calendar.hour.of(clock.now() - hourlyRetentionDays() * DAY_MS);
    const hours = hoursOf(calendar, day, oldest);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const read = await daily.add(database.read, day, calendar);
      const written = await writeInParts(read, hours);
      if (written !== null) return { ...written, clicks: read.rollup.clicks };
    }
    return writeAtOnce(day, hours, calendar);
  }

  /** Call it once, after the month's days. */
  const closeMonth = (month: number): Promise<number> => {
    const days: Span = { from: firstDayOfMonth(month), to: firstDayOfMonth(month + 1) };
    return transact(days.from, async (tx) => {
      const raised = await rollups.raiseMonths(tx, month, days);
      await rollups.replaceMonthValues(tx, month, days);
      return raised;
    });
  };

  return { rebuildDay, closeMonth };
}

export function createRebuild({ maintenance, ...deps }: Deps) {
  const raw = createRawRepository(deps.database);
  const calendars = createCalendars(deps.database);
  const { rebuildDay, closeMonth } = createDays(deps);

  async function rebuildAll(
    calendar: Calendar,
    span: Span,
    onDay: OnDay,
    lost: AbortSignal,
  ): Promise<RebuildReport> {
    const report: RebuildReport = { days: 0, clicks: 0, raised: 0, rewritten: 0, kept: 0 };
    let month: number | null = null;
    const close = async (next: number | null) => {
      if (month !== null && month !== next) report.raised += await closeMonth(month);
      month = next;
    };
    for (let day = span.from; day < span.to; day++) {
      if (lost.aborted)
        throw appError("ServiceUnavailable", "The database was unavailable; run the rebuild again.");
      const first = await raw.firstClick({
        from: calendar.day.startOf(day),
        to: calendar.day.startOf(span.to),
      });
      if (first === null) break;
      day = calendar.day.of(first);
      await close(monthOfDay(day));
      const { clicks, ...written } = await rebuildDay(day, calendar);
      report.days++;
      report.clicks += clicks;
      add(report, written);
      onDay(day + 1 - span.from, span.to - span.from);
    }
    await close(null);
    return report;
  }

  return {
    /**
     * Inclusive days of the time zone, since the epoch; null: as far as there are raw rows. @throws Conflict while retention or another
     * rebuild runs
     */
    async run(
      { from, to }: { from: number | null; to: number | null },
      onDay: OnDay,
    ): Promise<RebuildReport> {
      const report = await maintenance.alone(async (lost) => {
        const all = { from: 0, to: Number.MAX_SAFE_INTEGER };
        const [calendar, first, last] = await Promise.all([
          calendars.current(),
          raw.firstClick(all),
          raw.lastClick(),
        ]);
        if (first === null || last === null) return rebuildAll(calendar, { from: 0, to: 0 }, onDay, lost);
        const span = {
          // Raising less exact days would count clicks twice.
          from: Math.max(from ?? 0, calendar.day.of(Math.max(first, calendar.exactFrom))),
          to: Math.min(to ?? Number.MAX_SAFE_INTEGER, calendar.day.of(last)) + 1,
        };
        return rebuildAll(calendar, span, onDay, lost);
      });
      if (report !== null) return report;
      throw appError(
        "Conflict",
        "The retention task or another rebuild is running; try again when it is done.",
      );
    },
  };
}

/** Links whose rows fit into a transaction. */
function partsOf({ rollup }: RawDay): number[][] {
  const rows = new Map<number, number>(rollup.days.map(({ linkId }) => [linkId, 1]));
  for (const { linkId } of rollup.dimDays) rows.set(linkId, (rows.get(linkId) ?? 0) + 1);
  rows.delete(0);
  const parts: number[][] = [];
  let room = 0;
  for (const [link, count] of [...rows].sort(([a], [b]) => a - b)) {
    const part = parts.at(-1);
    if (part === undefined || room < count || part.length >= LINKS_AT_ONCE) {
      parts.push([link]);
      room = ROWS_AT_ONCE - count;
    } else {
      part.push(link);
      room -= count;
    }
  }
  return parts;
}

function add(sum: WrittenValues, { raised, rewritten, kept }: WrittenValues): void {
  sum.raised += raised;
  sum.rewritten += rewritten;
  sum.kept += kept;
}
