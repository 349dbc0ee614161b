/** Jobs that keep what lists read current: the totals, the order by clicks and the index of texts. */
import type { Database } from "../../platform/db/database.ts";
import type { Logger } from "../../lib/logger.ts";
import { createRankingRepository, createTotalRepository } from "./upkeep.repository.ts";
import { rest } from "../../lib/rest.ts";

const EVERY_MS = 30_000;
/** Counting a million links takes a second on some servers. */
const CORRECT_EVERY_MS = 600_000;
/** Links. */
const MANY = 10_000;

/**
 * Keeps the totals of links and clicks short to sum, and corrects them after writes by other programs. As it knows how
 * many links came and went, it has the database's statistics made anew after many.
 */
export function createTotalJob(database: Database, logger: Pick<Logger, "warn">) {
  const repository = createTotalRepository(database);
  /** Links added or removed since the statistics were made. */
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

/** The job rests this many times as long as it works, within and between runs. */
const RANKING_REST_FACTOR = 9;
const IDS_AT_ONCE = 50_000;
const RANKED_AT_ONCE = 1_000;

export type Growth = { linkId: number; before: number; after: number };

/**
 * Orders links by human clicks and by all. Indexes on the counters would make a flush several times as expensive, so
 * the job copies changed counts to the indexed link_clicks.ranked_human and link_clicks.ranked, in portions. It calls
 * `counted` once for each change of a count of human clicks, if the process lives.
 */
export function createRankingJob(
  database: Database,
  counted: (links: readonly Growth[]) => Promise<void> = async () => {},
) {
  const repository = createRankingRepository(database);
  /** The flushed state at the last complete run. */
  let ranked: string | null = null;
  let tookMs = 0;

  async function run(signal: AbortSignal): Promise<void> {
    const begun = performance.now();
    const flushed = await repository.flushed();
    if (flushed === ranked) return;
    const all = await repository.extent();
    for (let from = all?.from ?? 1; from <= (all?.to ?? 0) && !signal.aborted; ) {
      const portionBegun = performance.now();
      const to = from + IDS_AT_ONCE - 1;
      const links = await repository.behind({ from, to }, RANKED_AT_ONCE);
      await repository.rank(links);
      await counted(
        links.map((link) => ({ linkId: link.link_id, before: link.ranked_human, after: link.human })),
      );
      from = links.length === RANKED_AT_ONCE ? links.at(-1)!.link_id + 1 : to + 1;
      await rest((performance.now() - portionBegun) * RANKING_REST_FACTOR, signal);
    }
    tookMs = performance.now() - begun;
    if (!signal.aborted) ranked = flushed;
  }

  return { name: "link-ranking", everyMs: () => Math.max(EVERY_MS, tookMs), run };
}

/** Texts have up to 10,000 characters, and other writers wait for a portion. */
const INDEXED_AT_ONCE = 200;
/** The job rests this many times as long as it works. */
const INDEXING_REST_FACTOR = 3;

/** Indexes the texts of new and changed links later; null for a database that does it at once. */
export function createSearchIndexJob({ transaction, dialect }: Database) {
  const { indexLinkTexts } = dialect;
  if (indexLinkTexts === null) return null;

  const run = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const begun = performance.now();
      const indexed = await transaction((tx) => indexLinkTexts(tx, INDEXED_AT_ONCE));
      if (indexed < INDEXED_AT_ONCE) return;
      await rest((performance.now() - begun) * INDEXING_REST_FACTOR, signal);
    }
  };
  return { name: "link-search-index", everyMs: () => EVERY_MS, run };
}
