/** Queries that many tables need alike. */
import { type SelectQueryBuilder, sql } from "kysely";
import { pagesAfter } from "../../lib/pages.ts";
import type { Db, Dialect } from "./dialect.ts";
import { isUniqueViolation } from "./failures.ts";

export async function countRows<DB, T extends keyof DB>(
  query: SelectQueryBuilder<DB, T, object>,
): Promise<number> {
  const counting = query.select(({ fn }) => fn.countAll<number>().as("n")).$castTo<{ n: number }>();
  return Number((await counting.executeTakeFirstOrThrow()).n);
}

/** Whether there is a row, after as many as the query skips. */
export const finds = async <DB, T extends keyof DB, O>(
  query: SelectQueryBuilder<DB, T, O>,
): Promise<boolean> => (await query.limit(1).executeTakeFirst()) !== undefined;

/** The rows in the order of a column with unique values, portion by portion. */
export const inOrderOf = <DB, T extends keyof DB, O>(
  query: SelectQueryBuilder<DB, T, O>,
  column: string,
  first: string | number,
  most: number,
): AsyncGenerator<O[], void> =>
  pagesAfter(
    first,
    most,
    (after) => query.where(sql.ref(column), ">", after).orderBy(sql.ref(column)).limit(most).execute(),
    (row) => (row as Record<string, string | number>)[column.split(".").at(-1)!]!,
  );

/** What `write` returns, by default true; false if another row has one of its unique keys. */
export async function unlessTaken(write: () => Promise<unknown>): Promise<boolean> {
  try {
    return (await write()) !== false;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}

/** Inclusive. */
export type Extent = { from: number; to: number };

/** The least and the largest value, from an index. Null without rows. */
export async function extentOf<DB, T extends keyof DB>(
  values: SelectQueryBuilder<DB, T, { value: number }>,
): Promise<Extent | null> {
  const [first, last] = await Promise.all(
    (["asc", "desc"] as const).map((way) =>
      values
        .orderBy("value" as never, way)
        .limit(1)
        .executeTakeFirst(),
    ),
  );
  return first && last ? { from: first.value, to: last.value } : null;
}

/** Epoch milliseconds by the clock of the database. */
export async function currentTime(db: Db, { now }: Pick<Dialect, "now">): Promise<number> {
  const { rows } = await sql<{ now: number }>`select ${now()} as now`.execute(db);
  return Number(rows[0]?.now);
}

type Found = { execute(): Promise<{ id: number | string }[]> };

/** Returns how many were found. Two statements: not every server takes a limit in a subquery. */
export async function deleteFound(
  write: Db,
  table: "bulk_changes" | "changes" | "events" | "mails" | "sessions" | "tokens" | "webhook_deliveries",
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
