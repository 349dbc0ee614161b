/**
 * Orders links by clicks. An index on the counter would make a flush several times as expensive, so a job copies
 * changed link_clicks.clicks to the indexed link_clicks.ranked, in portions.
 */
import type { Database } from "../../platform/db/database.ts";
import { rest } from "../../lib/rest.ts";
import { createRankingRepository } from "./ranking.repository.ts";

const EVERY_MS = 30_000;
/** Rests this many times as long as it works, within and between runs. */
const REST_FACTOR = 9;
const IDS_AT_ONCE = 50_000;
const LINKS_AT_ONCE = 1_000;

type Growth = { linkId: number; before: number; after: number };

/** `counted` hears of each change of a count once, if the process lives. */
export function createRankingJob(
  database: Pick<Database, "read" | "write" | "dialect">,
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
      const links = await repository.behind({ from, to }, LINKS_AT_ONCE);
      await repository.rank(links);
      await counted(links.map((link) => ({ linkId: link.link_id, before: link.ranked, after: link.clicks })));
      from = links.length === LINKS_AT_ONCE ? links.at(-1)!.link_id + 1 : to + 1;
      await rest((performance.now() - portionBegun) * REST_FACTOR, signal);
    }
    tookMs = performance.now() - begun;
    if (!signal.aborted) ranked = flushed;
  }

  return { name: "link-ranking", everyMs: () => Math.max(EVERY_MS, tookMs), run };
}
