/**
 * Tries in `login_failures`, shared by all processes: some at once, then one in each interval. `retry_at` is when all are
 * there again, as in lib/rate-buckets.ts. Rows are forgotten with stale delays.
 */
import type { Database } from "../../platform/db/database.ts";
import { unlessTaken } from "../../platform/db/queries.ts";

export type TryLimit = { atOnce: number; intervalMs: number };

export type RecipientTriesRepository = ReturnType<typeof createRecipientTriesRepository>;

/** Lost races for a new row. */
const MOST_RACES = 10;

export function createRecipientTriesRepository({ write }: Pick<Database, "write">) {
  async function fullAt(key: string): Promise<number | null> {
    const query = write.selectFrom("login_failures").select("retry_at").where("account", "=", key);
    return (await query.executeTakeFirst())?.retry_at ?? null;
  }

  return {
    /** The wait in ms; 0 when a try was taken. */
    async takeTry(key: string, { atOnce, intervalMs }: TryLimit, now: number): Promise<number> {
      const latest = now + (atOnce - 1) * intervalMs;
      for (let race = 0; race < MOST_RACES; race++) {
        const taken = await write
          .updateTable("login_failures")
          .set((eb) => ({
            failures: eb("failures", "+", 1),
            updated_at: now,
            retry_at: eb
              .case()
              .when(eb.between("retry_at", now, latest))
              .then(eb("retry_at", "+", intervalMs))
              .else(now + intervalMs)
              .end(),
          }))
          .where("account", "=", key)
          // Later only after the clock was set back.
          .where((eb) => eb.or([eb("retry_at", "<=", latest), eb("retry_at", ">", latest + intervalMs)]))
          .executeTakeFirst();
        if (Number(taken.numUpdatedRows) > 0) return 0;
        const known = await fullAt(key);
        if (known !== null && known > latest) return known - latest;
        const row = { account: key, failures: 1, retry_at: now + intervalMs, updated_at: now };
        const insert = () => write.insertInto("login_failures").values(row).execute();
        if (known === null && (await unlessTaken(insert))) return 0;
      }
      return intervalMs;
    },

    /** The wait in ms until a try can be taken. */
    async waitForTry(key: string, { atOnce, intervalMs }: TryLimit, now: number): Promise<number> {
      const latest = now + (atOnce - 1) * intervalMs;
      const known = await fullAt(key);
      return known === null || known > latest + intervalMs ? 0 : Math.max(0, known - latest);
    },

    async giveTryBack(key: string, { intervalMs }: TryLimit): Promise<void> {
      const query = write.updateTable("login_failures").where("account", "=", key);
      await query.set((eb) => ({ retry_at: eb("retry_at", "-", intervalMs) })).execute();
    },
  };
}
