/**
 * One-time addresses for the set-up, in `login_failures`: `account` is `set-up` and the SHA-256 of the secret,
 * `retry_at` the end. Usernames contain no blank.
 */
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";

const KEY_START = "set-up ";

export type SetUpRepository = ReturnType<typeof createSetUpRepository>;

export function createSetUpRepository({ read, write }: Database) {
  const ofSetUp = (db: Db) =>
    db.selectFrom("login_failures").select("account").where("account", "like", `${KEY_START}%`);

  return {
    /** Keeps the newest `most`, this one included. */
    async add(hash: string, { now, expiresAt, most }: { now: number; expiresAt: number; most: number }) {
      const older = ofSetUp(write)
        .orderBy("retry_at", "desc")
        .offset(most - 1);
      for (const { account } of await older.limit(1000).execute()) {
        await write.deleteFrom("login_failures").where("account", "=", account).execute();
      }
      await write
        .insertInto("login_failures")
        .values({ account: KEY_START + hash, failures: 0, retry_at: expiresAt, updated_at: now })
        .execute();
    },

    /** The end; null when it is not valid. */
    async find(hash: string, now: number): Promise<number | null> {
      const row = await read
        .selectFrom("login_failures")
        .select("retry_at")
        .where("account", "=", KEY_START + hash)
        .where("retry_at", ">", now)
        .executeTakeFirst();
      return row?.retry_at ?? null;
    },

    /** Uses it up. False when it is not valid, or another request was faster. */
    async take(tx: Db, hash: string, now: number): Promise<boolean> {
      const { numDeletedRows } = await tx
        .deleteFrom("login_failures")
        .where("account", "=", KEY_START + hash)
        .where("retry_at", ">", now)
        .executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    },

    async removeAll(tx: Db): Promise<void> {
      await tx.deleteFrom("login_failures").where("account", "like", `${KEY_START}%`).execute();
    },
  };
}
