import type { SelectQueryBuilder } from "kysely";
import type { Database } from "../../db/database.ts";
import type { Db } from "../../db/dialect.ts";
import type { Schema } from "../../db/schema.ts";
import { readTotals } from "../link/query.repository.ts";

const MINUTE_MS = 60_000;

export function createLinkStats({ read }: Pick<Database, "read">, mostCounted = 10_000) {
  let manyExpired: { at: number; links: Promise<number> } | undefined;

  /** More than 10,000 are counted once a minute. */
  async function countExpired(now: number): Promise<number> {
    const expired = read.selectFrom("links").select("id").where("expires_at", "<=", now);
    const few = await countOf(read, expired.limit(mostCounted + 1));
    if (few <= mostCounted) return few;
    if (manyExpired === undefined || Math.abs(now - manyExpired.at) >= MINUTE_MS)
      manyExpired = { at: now, links: countOf(read, expired) };
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

async function countOf(
  read: Db,
  links: SelectQueryBuilder<Schema, "links", { id: number }>,
): Promise<number> {
  const counting = read.selectFrom(links.as("some")).select((eb) => eb.fn.countAll<number>().as("n"));
  return Number((await counting.executeTakeFirstOrThrow()).n);
}
