import type { Database } from "../../platform/db/database.ts";
import { unlessTaken } from "../../platform/db/queries.ts";
import type { RowFields } from "../../platform/db/schema.ts";
import { camelCased, snakeCased } from "../../lib/case-names.ts";

/** `retryAt`: end of the delay. */
type LoginFailures = Omit<RowFields<"login_failures">, "account">;

export type LoginFailuresRepository = ReturnType<typeof createLoginFailuresRepository>;

/** Reads use the writing connection: a stale count would let guesses pass. */
export function createLoginFailuresRepository({ write }: Database) {
  return {
    async find(account: string): Promise<LoginFailures | null> {
      const query = write.selectFrom("login_failures").select(["failures", "retry_at", "updated_at"]);
      const row = await query.where("account", "=", account).executeTakeFirst();
      return row === undefined ? null : camelCased(row);
    },

    /** False when another process was faster. */
    async replace(account: string, expected: LoginFailures | null, next: LoginFailures): Promise<boolean> {
      const row = snakeCased(next);
      if (expected === null)
        return unlessTaken(() =>
          write
            .insertInto("login_failures")
            .values({ account, ...row })
            .execute(),
        );
      const { numUpdatedRows } = await write
        .updateTable("login_failures")
        .set(row)
        .where("account", "=", account)
        .where("failures", "=", expected.failures)
        .where("updated_at", "=", expected.updatedAt)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },

    async remove(account: string): Promise<void> {
      await write.deleteFrom("login_failures").where("account", "=", account).execute();
    },

    /** Rows last written before the instant; returns how many. */
    async removeStale(before: number, limit: number): Promise<number> {
      const query = write.selectFrom("login_failures").select("account").where("updated_at", "<", before);
      const stale = (await query.limit(limit).execute()).map(({ account }) => account);
      if (stale.length === 0) return 0;
      await write
        .deleteFrom("login_failures")
        .where("account", "in", stale)
        .where("updated_at", "<", before)
        .execute();
      return stale.length;
    },
  };
}
