/**
 * Every four hours removes what is older than the settings allow, rows of unknown links, and unused texts and codes:
 * partitions of old rows at once, the rest in deletes of at most 1,000 rows with a rest after each.
 *
 * A month goes when nothing finer of it is left. Rows of a deleted link age like others; its code (deleted_links) goes
 * after its last month. Rows of a link without a code are found by its months, which go last, so the next run continues
 * an interrupted one. A text is unused if its seen_day, which flushes raise, lies before the oldest row that may refer
 * to it.
 */
import { chunked } from "../../lib/chunked.ts";
import { rest } from "../../lib/rest.ts";
import type { Job } from "../../platform/jobs/runner.ts";
import type { Core } from "../../platform/core.ts";
import { createPartitions, keptFrom } from "../../platform/db/partitions.ts";
import { type CounterTable, createRetentionRepository } from "./retention.repository.ts";
import { UTC } from "./calendar.ts";
import { createCalendars } from "./calendar.repository.ts";
import { DAY_MS, firstDayOfMonth, HOUR_MS } from "./time-buckets.ts";
import { VISITOR_DAYS } from "./visitors.repository.ts";
import type { Leases } from "../../platform/cluster/leases.ts";

export type RetentionDeps = Pick<Core, "database" | "config" | "clock"> & {
  maintenance: Maintenance;
  /** Whether clicks before an instant must still be copied. They wait for that, but no longer than COPY_DAYS. */
  lacks?(before: number): Promise<boolean>;
  /** Rest after a delete; default 25. */
  restMs?: number;
};

const EVERY_MS = 4 * HOUR_MS;
const LIMIT_EVERY_MS = 60_000;
const PARTITIONS_EVERY_MS = HOUR_MS;
const REST_MS = 25;
const COPY_DAYS = 7;
/** Older journals are not counted (clicks/flush/source.ts). */
const JOURNALS_KEPT_MS = 26 * DAY_MS;
/** While a rebuild runs. */
const WAIT_MS = 10_000;
/** Limits rows of values per statement, too. */
const LINKS_AT_ONCE = 500;
const ROWS_AT_ONCE = 1_000;

export function createRetentionJobs(deps: RetentionDeps): Job[] {
  const { database, maintenance, config, clock } = deps;
  return [
    {
      name: "analytics-retention",
      everyMs: () => EVERY_MS,
      async run(signal) {
        if (!config.get("analytics.enable_auto_rollup")) return;
        while (!signal.aborted) {
          const done = await maintenance.alone((lost) => removeOld(deps, AbortSignal.any([signal, lost])));
          if (done !== null) return;
          await rest(WAIT_MS, signal);
        }
      },
    },
    {
      name: "analytics-log-limit",
      everyMs: () => LIMIT_EVERY_MS,
      async run(signal) {
        if (mostLogRows(deps) === 0) return;
        await maintenance.alone((lost) => limitLog(deps, AbortSignal.any([signal, lost])));
      },
    },
    {
      name: "analytics-partitions",
      everyMs: () => PARTITIONS_EVERY_MS,
      async run(signal) {
        const { makeAhead } = createPartitions(database);
        const kept = (days: number) =>
          config.get("analytics.enable_auto_rollup") ? days : Number.POSITIVE_INFINITY;
        for (const [table, days] of [
          ["click_log", config.get("analytics.log_retention_days")],
          ["click_hours", config.get("analytics.hourly_retention_days")],
          ["click_dim_hours", config.get("analytics.hourly_retention_days")],
          ["click_days", config.get("analytics.daily_retention_days")],
          ["click_dim_days", config.get("analytics.daily_retention_days")],
          ["visitor_days", config.get("analytics.daily_retention_days")],
          ["click_visitors", VISITOR_DAYS],
        ] as const)
          if (!signal.aborted) await makeAhead(table, clock.now(), kept(days));
      },
    },
  ];
}

async function removeOld(deps: RetentionDeps, signal: AbortSignal): Promise<true> {
  const { database, config, clock, restMs = REST_MS } = deps;
  const rows = createRetentionRepository(database);
  const calendar = await createCalendars(database).current();
  const now = clock.now();
  const due = keptFrom(now, config.get("analytics.log_retention_days"));
  const oldestClick = (await deps.lacks?.(due))
    ? keptFrom(now, config.get("analytics.log_retention_days") + COPY_DAYS)
    : due;
  const hour = calendar.hour.of(keptFrom(now, config.get("analytics.hourly_retention_days")));
  const day = calendar.day.of(keptFrom(now, config.get("analytics.daily_retention_days")));
  const month = calendar.month.of(
    Math.min(calendar.day.startOf(day), calendar.hour.startOf(hour), oldestClick),
  );
  const repeat = async (step: () => Promise<boolean>): Promise<void> => {
    while (!signal.aborted && (await step())) await rest(restMs, signal);
  };
  const removeCounts = (table: CounterTable, before: number) =>
    repeat(async () => (await rows.deleteOldest(table, before)) > 0);

  const { dropBefore } = createPartitions(database);
  await dropBefore("click_log", oldestClick);
  const partitioned = [
    ["click_hours", hour],
    ["click_dim_hours", hour],
    ["click_days", day],
    ["click_dim_days", day],
    ["visitor_days", day],
    ["click_visitors", UTC.day.of(now) - VISITOR_DAYS],
  ] as const;
  for (const [table, before] of partitioned) await dropBefore(table, before);
  // What lies outside of partitions.
  await repeat(async () => (await rows.deleteOldestClicks(oldestClick, ROWS_AT_ONCE)) > 0);
  for (const [table, before] of partitioned) await removeCounts(table, before);
  await removeCounts("detail_drops", day);
  await removeCounts("missing_codes", UTC.day.of(due));
  await removeCounts("click_months", month);
  await removeCounts("click_dim_months", month);
  await removeUnknownLinks(deps, signal);
  await forgetDeletedLinks(deps, signal);

  // Before a change of the time zone a click may have been seen a day earlier.
  const earlier = calendar.since === null ? 0 : 1;
  const agentsBefore = calendar.day.of(oldestClick) - earlier;
  const valuesBefore = firstDayOfMonth(month) - earlier;
  for (const [table, before] of [
    ["user_agents", agentsBefore],
    ["click_values", valuesBefore],
  ] as const) {
    let next: number | null = 0;
    await repeat(async () => {
      next = await rows.deleteUnseen(table, before, next ?? 0);
      return next !== null;
    });
  }
  return true;
}

async function removeUnknownLinks(
  { database, restMs = REST_MS }: RetentionDeps,
  signal: AbortSignal,
): Promise<void> {
  const rows = createRetentionRepository(database);
  const months = await rows.months();
  for (const month of months) {
    let next: number | null = 1;
    while (next !== null && !signal.aborted) {
      const found = await rows.unknownLinks(month, next);
      next = found.next;
      for (const links of chunked(found.links, LINKS_AT_ONCE)) await removeLinks(links);
      await rest(restMs, signal);
    }
  }

  async function removeLinks(links: readonly number[]): Promise<void> {
    const log = await rows.logExtent();
    if (log !== null) {
      await forEach(UTC.day.of(log.from), UTC.day.of(log.to), async (day) => {
        while (!signal.aborted && (await rows.deleteClicksOf(links, day)) > 0) await rest(restMs, signal);
      });
    }
    await inBuckets("click_dim_days", (day) => removeValues(day, links));
    await inBuckets("click_hours", (hour) => rows.deleteCounts("click_hours", hour, links));
    await inBuckets("click_days", (day) => rows.deleteCounts("click_days", day, links));
    await inBuckets("visitor_days", (day) => rows.deleteCounts("visitor_days", day, links));
    for (const month of months)
      if (!signal.aborted) await rows.deleteCounts("click_dim_months", month, links);
    // Last, because months tell which links have rows.
    if (!signal.aborted) for (const month of months) await rows.deleteCounts("click_months", month, links);
  }

  async function removeValues(day: number, links: readonly number[]): Promise<void> {
    let together: number[] = [];
    let size = 0;
    for (const { link, rows: count } of await rows.valueRows(day, links)) {
      if (size + count > ROWS_AT_ONCE && together.length > 0) {
        await rows.deleteValueCounts(day, together);
        await rest(restMs, signal);
        together = [];
        size = 0;
      }
      together.push(link);
      size += count;
    }
    if (together.length > 0) await rows.deleteValueCounts(day, together);
  }

  async function inBuckets(table: CounterTable, work: (bucket: number) => Promise<void>): Promise<void> {
    const extent = await rows.extent(table);
    if (extent !== null) await forEach(extent.from, extent.to, work);
  }

  async function forEach(
    first: number,
    last: number,
    work: (bucket: number) => Promise<void>,
  ): Promise<void> {
    for (let bucket = first; bucket <= last && !signal.aborted; bucket++) {
      await work(bucket);
      await rest(Math.min(restMs, 1), signal);
    }
  }
}

/** Beyond this number the oldest rows of the log go; 0: no bound. */
const mostLogRows = ({ config }: RetentionDeps): number =>
  config.get("analytics.max_rows_action") === "cleanup" ? config.get("analytics.max_log_rows") : 0;

/** A month that a flush adds meanwhile belongs to a link deleted just now, or to none of these. */
async function forgetDeletedLinks({ database, clock, restMs = REST_MS }: RetentionDeps, signal: AbortSignal) {
  const rows = createRetentionRepository(database);
  const before = clock.now() - JOURNALS_KEPT_MS;
  const months = await rows.months();
  for (let next: number | null = 1; next !== null && !signal.aborted; await rest(restMs, signal)) {
    next = await rows.forgetDeleted(before, months, next);
  }
}

async function limitLog(deps: RetentionDeps, signal: AbortSignal): Promise<true> {
  const { database, restMs = REST_MS } = deps;
  const rows = createRetentionRepository(database);
  const limit = mostLogRows(deps);
  let excess = (await rows.countClicks(limit)) - limit;
  while (excess > 0 && !signal.aborted) {
    const deleted = await rows.deleteOldestClicks(Number.MAX_SAFE_INTEGER, excess);
    if (deleted === 0) break;
    excess -= deleted;
    await rest(restMs, signal);
  }
  return true;
}

export type Maintenance = ReturnType<typeof createMaintenance>;

/**
 * Runs the deletion of raw rows and rebuilds from them one at a time over all processes. The lease includes commands.
 */
export const createMaintenance = (leases: Leases) => ({
  /** Returns null, without running, while another process works. The signal aborts if the lease is lost. */
  alone: async <T>(work: (lost: AbortSignal) => Promise<T>): Promise<T | null> =>
    (await leases.hold("analytics-maintenance", 120_000, work))?.value ?? null,
});
