/**
 * The job that keeps the totals of links and clicks short to sum, and corrects them after writes by other programs. As
 * it knows how many links came and went, it has the database's statistics made anew after many.
 */
import type { Database } from "../../platform/db/database.ts";
import type { Logger } from "../../lib/logger.ts";
import { createTotalRepository } from "./total.repository.ts";

const EVERY_MS = 30_000;
/** Counting a million links takes a second on some servers. */
const CORRECT_EVERY_MS = 600_000;
/** Links. */
const MANY = 10_000;

export function createTotalJob(
  database: Pick<Database, "read" | "write" | "transaction" | "dialect">,
  logger: Pick<Logger, "warn">,
) {
  const repository = createTotalRepository(database);
  /** Since the statistics. */
  let changed = 0;
  let correctedAt = Number.NEGATIVE_INFINITY;

  async function run(signal: AbortSignal): Promise<void> {
    if (performance.now() - correctedAt >= CORRECT_EVERY_MS) {
      correctedAt = performance.now();
      const lacking = await repository.correct();
      if (Object.values(lacking).some((number) => number !== 0))
        logger.warn(lacking, "the totals of links and clicks were wrong and have been corrected");
    }
    for (let rows = 2; rows > 1 && !signal.aborted; ) {
      const folded = await repository.fold();
      rows = folded.rows;
      changed += folded.changed;
    }
    if (changed < MANY) return;
    await repository.refreshStatistics();
    changed = 0;
  }

  return { name: "link-total", everyMs: () => EVERY_MS, run };
}
