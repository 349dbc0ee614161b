import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { unlessTaken } from "../../platform/db/queries.ts";

export const createCodesRepository = (database: Pick<Database, "write">) => ({
  ...createCodeQueries(database),
  ...createTryQueries(database),
});

function createCodeQueries({ write }: Pick<Database, "write">) {
  return {
    /** Replaces the former code, if the bucket has room. Returns whether it did. */
    async setCode(
      tx: Db,
      { linkId, email }: { linkId: number; email: string },
      code: { hash: string; until: number; now: number; fullBefore: number; intervalMs: number },
    ): Promise<boolean> {
      const { hash, until, now, fullBefore, intervalMs } = code;
      const result = await tx
        .updateTable("share_recipients")
        .set((eb) => ({
          code_hash: hash,
          code_until: until,
          code_tries: 0,
          codes_full_at: eb
            .case()
            .when("codes_full_at", ">", now)
            .then(eb("codes_full_at", "+", intervalMs))
            .else(now + intervalMs)
            .end(),
        }))
        .where("link_id", "=", linkId)
        .where("email", "=", email)
        .where("codes_full_at", "<=", fullBefore)
        .executeTakeFirst();
      return Number(result.numUpdatedRows) === 1;
    },

    /** Takes a try of the code. Null if there is none, it is too old, or it has had its tries. */
    async tryCode(
      { linkId, email }: { linkId: number; email: string },
      { now, most }: { now: number; most: number },
    ): Promise<{ id: number; hash: string } | null> {
      const result = await write
        .updateTable("share_recipients")
        .set((eb) => ({ code_tries: eb("code_tries", "+", 1) }))
        .where("link_id", "=", linkId)
        .where("email", "=", email)
        .where("code_hash", "is not", null)
        .where("code_until", ">", now)
        .where("code_tries", "<", most)
        .executeTakeFirst();
      if (Number(result.numUpdatedRows) === 0) return null;
      const row = await write
        .selectFrom("share_recipients")
        .select(["id", "code_hash as hash"])
        .where("link_id", "=", linkId)
        .where("email", "=", email)
        .executeTakeFirst();
      return row === undefined || row.hash === null ? null : { id: row.id, hash: row.hash };
    },

    /** False if another request has used it. */
    async useCode(id: number, hash: string): Promise<boolean> {
      const result = await write
        .updateTable("share_recipients")
        .set({ code_hash: null })
        .where("id", "=", id)
        .where("code_hash", "=", hash)
        .executeTakeFirst();
      return Number(result.numUpdatedRows) === 1;
    },
  };
}

export type TryLimit = { atOnce: number; intervalMs: number };

/** The number of lost races for a new row. */
const MOST_RACES = 10;

/**
 * Tries in `login_failures`, shared by all processes: some at once, then one in each interval. `retry_at` is when all are
 * there again, as in lib/rate-buckets.ts. Rows are forgotten with stale delays.
 */
function createTryQueries({ write }: Pick<Database, "write">) {
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
