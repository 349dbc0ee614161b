/** Queries that many tables need alike. */
import type { SelectQueryBuilder } from "kysely";
import type { Db } from "./dialect.ts";

export async function countRows<DB, T extends keyof DB>(
  query: SelectQueryBuilder<DB, T, object>,
): Promise<number> {
  const counting = query.select(({ fn }) => fn.countAll<number>().as("n")).$castTo<{ n: number }>();
  return Number((await counting.executeTakeFirstOrThrow()).n);
}

type Found = { execute(): Promise<{ id: number | string }[]> };

/** Returns how many were found. Two statements: not every server takes a limit in a subquery. */
export async function deleteFound(
  write: Db,
  table: "events" | "mails" | "sessions" | "tokens" | "webhook_deliveries",
  found: Found,
): Promise<number> {
  const ids = (await found.execute()).map(({ id }) => id);
  if (ids.length > 0)
    await write
      .deleteFrom(table)
      .where("id", "in", ids as never)
      .execute();
  return ids.length;
}
