/**
 * How many raw rows `analytics.max_log_rows` still allows: last id minus first id minus holes (removed rows, unused
 * ids). Holes are counted at most every ten minutes, when the room seems used up.
 */
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";

const COUNT_EVERY_MS = 10 * 60_000;

export function createLogCapacity({ read }: Pick<Database, "read">) {
  let holes = 0;
  let countedAt = Number.NEGATIVE_INFINITY;

  const left = async (db: Db, most: number): Promise<number> =>
    Math.max(0, most - ((await spanOf(db)) - holes));

  return {
    /** Call it in the transaction that writes the rows. */
    left,
    /** Call it outside transactions. */
    async refresh(most: number, now: number): Promise<void> {
      if (Math.abs(now - countedAt) < COUNT_EVERY_MS || (await left(read, most)) > 0) return;
      countedAt = now;
      const span = await spanOf(read);
      const some = read.selectFrom("click_log").select("id").limit(most);
      const { rows } = await read
        .selectFrom(some.as("some"))
        .select((eb) => eb.fn.countAll<number>().as("rows"))
        .executeTakeFirstOrThrow();
      holes = Math.max(0, span - Number(rows));
    },
  };
}

async function spanOf(db: Db): Promise<number> {
  const ids = db.selectFrom("click_log").select("id").limit(1);
  const first = await ids.orderBy("id").executeTakeFirst();
  const last = await ids.orderBy("id", "desc").executeTakeFirst();
  return first === undefined || last === undefined ? 0 : last.id - first.id + 1;
}
