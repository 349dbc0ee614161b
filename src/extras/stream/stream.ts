/**
 * Sends the rows of click_log to ClickHouse in the order of their numbers, with a position of its own. The position moves
 * when the server has stored a portion, so after any kill a portion is sent again, and merges there leave one of each row.
 *
 * Transactions commit in another order than that of numbers. So a row is sent when it was not the newest for SETTLE_MS;
 * by then those with lower numbers are there or will never be.
 */
import type { Database } from "../../platform/db/database.ts";
import type { Job } from "../../platform/jobs/runner.ts";
import type { Clock } from "../../lib/clock.ts";
import { openClickHouse, TABLE } from "./clickhouse.ts";
import { createStreamRepository } from "./stream.repository.ts";
import type { Registry } from "../../lib/metrics.ts";

export type ClickStream = ReturnType<typeof createClickStream>;

/** A longer commit has lost its connection, as in the change feed. */
const SETTLE_MS = 120_000;
const EVERY_MS = 60_000;
const MOST_PAUSE_MS = 16 * EVERY_MS;
const PAGE_ROWS = 500;
const PORTION_PAGES = 40;
const CHECK_MS = 10_000;

type Deps = {
  database: Database;
  url: string;
  nameOf: Parameters<typeof createStreamRepository>[1];
  clock: Clock;
};

export function createClickStream({ database, url, nameOf, clock }: Deps) {
  const rows = createStreamRepository(database, nameOf);
  let pauseMs = EVERY_MS;
  /** Newest numbers at instants, which ascend. */
  let seen: { id: number; at: number }[] = [];

  /** The last row that no other can precede. */
  async function settled(): Promise<number> {
    const now = clock.now();
    // The clock may have been set back.
    seen = [...seen.filter(({ at }) => at <= now), { id: await rows.newest(), at: now }];
    const last = seen.findLastIndex(({ at }) => at <= now - SETTLE_MS);
    seen = seen.slice(Math.max(last, 0));
    return last < 0 ? 0 : seen[0]!.id;
  }

  async function send(signal: AbortSignal): Promise<void> {
    const until = await settled();
    let position = await rows.position();
    const arrived = async (): Promise<void> => rows.move(position, clock.now());
    // Keeps the row from being forgotten like that of an old journal.
    await arrived();
    if (position >= until) return;
    const server = await openClickHouse(url, signal);
    try {
      await server.prepare();
      while (position < until && !signal.aborted) {
        const portion = await readPortion(position, until);
        if (portion.pages.length > 0) await server.insert(portion.pages);
        position = portion.last;
        await arrived();
      }
    } finally {
      await server.close();
    }
  }

  async function readPortion(after: number, until: number): Promise<{ pages: string[]; last: number }> {
    const pages: string[] = [];
    let last = after;
    while (pages.length < PORTION_PAGES && last < until) {
      const page = await rows.page(last, until, PAGE_ROWS);
      if (page.length > 0) pages.push(page.map((row) => `${JSON.stringify(row)}\n`).join(""));
      last = page.length < PAGE_ROWS ? until : page.at(-1)!.id;
    }
    return { pages, last };
  }

  /** Details that the server has not got, at most: unused numbers count too. */
  const waiting = async (): Promise<number> => Math.max(0, (await rows.newest()) - (await rows.position()));

  return {
    job: {
      name: "clickhouse",
      everyMs: () => pauseMs,
      async run(signal) {
        try {
          await send(signal);
          pauseMs = EVERY_MS;
        } catch (error) {
          if (signal.aborted) return;
          pauseMs = Math.min(pauseMs * 2, MOST_PAUSE_MS);
          throw error;
        }
      },
    } satisfies Job,
    waiting,
    /** Changes nothing. `waitingSince`: when the next click to send was; null if all are sent. @throws ServiceUnavailable: the server takes no rows */
    async check(): Promise<{ hasTable: boolean; hasSent: boolean; waitingSince: number | null }> {
      const server = await openClickHouse(url, AbortSignal.timeout(CHECK_MS));
      try {
        const hasTable = await server.hasTable();
        if (hasTable) await server.tryInsert();
        const position = await rows.position();
        return { hasTable, hasSent: position > 0, waitingSince: await rows.timeOfNext(position) };
      } finally {
        await server.close();
      }
    },
    /** That the copy has an address too, and the statement that removes it there. */
    coverageOf: (address: string): string =>
      `A ClickHouse server has a copy of click details, which is neither searched nor changed. To remove the address there too, run on it in two minutes: ALTER TABLE ${TABLE} UPDATE ip_address = '', referrer = '', user_agent = '' WHERE ip_address = '${address}'`,
    /** Whether clicks before an instant were not sent. */
    lacks: async (before: number): Promise<boolean> =>
      (await rows.newestBefore(before)) > (await rows.position()),
  };
}

export function registerStreamMetrics(registry: Registry, stream: Pick<ClickStream, "waiting">): void {
  let known = 0;
  registry.prepare(async () => {
    known = await stream.waiting().catch(() => known);
  });
  registry.observe(
    "gauge",
    {
      name: "svc_clickhouse_waiting_clicks",
      help: "Clicks with details that ClickHouse has not got, at most. Each takes two to four minutes.",
      together: "largest",
    },
    () => [[[], known]],
  );
}
