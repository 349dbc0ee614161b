import type { Database } from "../../platform/db/database.ts";
import { countRows } from "../../platform/db/queries.ts";
import { readTotals } from "../link/query.repository.ts";

const MINUTE_MS = 60_000;

export function createLinkStats({ read }: Pick<Database, "read">, mostCounted = 10_000) {
  let manyExpired: { at: number; links: Promise<number> } | undefined;

  /** More than 10,000 are counted once a minute. */
  async function countExpired(now: number): Promise<number> {
    const expired = read.selectFrom("links").where("expires_at", "<=", now);
    const some = expired.select("id").limit(mostCounted + 1);
    const few = await countRows(read.selectFrom(some.as("some")));
    if (few <= mostCounted) return few;
    if (manyExpired === undefined || Math.abs(now - manyExpired.at) >= MINUTE_MS)
      manyExpired = { at: now, links: countRows(expired) };
    const { links } = manyExpired;
    return links.catch((error: unknown) => {
      if (manyExpired?.links === links) manyExpired = undefined;
      throw error;
    });
  }

  return async function stats(now: number) {
    const [totals, expired] = await Promise.all([readTotals(read), countExpired(now)]);
    return {
      totalLinks: totals.links,
      totalClicks: totals.clicks,
      automatedClicks: totals.automated,
      importedClicks: totals.imported,
      activeLinks: Math.max(0, totals.links - expired),
    };
  };
}
