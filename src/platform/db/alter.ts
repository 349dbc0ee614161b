import { sql } from "kysely";
import type { Db, Dialect } from "./dialect.ts";
import { isRetryable } from "./failures.ts";

/** A statement that waits for a table keeps others waiting. */
const LOCK_SECONDS = 2;
const TRIES = 30;

const BEFORE: Record<Dialect["name"], string> = {
  // Else triggers would follow a table to its new name.
  sqlite: "pragma legacy_alter_table = on",
  postgres: `set local lock_timeout = '${LOCK_SECONDS}s'`,
  mysql: `set session lock_wait_timeout = ${LOCK_SECONDS}`,
  mariadb: `set session lock_wait_timeout = ${LOCK_SECONDS}`,
};

/** Changes a table that is in use. Waits for its lock a short time only, then tries again. */
export async function alter({ slow, dialect }: { slow: Db; dialect: Dialect }, text: string): Promise<void> {
  const run = async (db: Db) => {
    await sql.raw(BEFORE[dialect.name]).execute(db);
    await sql.raw(text).execute(db);
  };
  for (let left = TRIES; ; left--) {
    try {
      // On PostgreSQL the limit ends with the transaction, so neither this session nor one behind a pooler keeps it.
      if (dialect.name === "postgres") return await slow.transaction().execute(run);
      return await slow.connection().execute(run);
    } catch (error) {
      if (!isRetryable(error) || left === 0) throw error;
      await Bun.sleep(200);
    }
  }
}
