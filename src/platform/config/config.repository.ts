import type { Selectable } from "kysely";
import type { Database } from "../db/database.ts";
import type { Db } from "../db/dialect.ts";
import type { Schema } from "../db/schema.ts";
import { camelCased, snakeCased } from "../../lib/case-names.ts";
import type { SettingChange, StoredSetting } from "./stored-setting.ts";

/** Changes kept of each key. A new one removes the oldest. */
export const HISTORY_MAX_ROWS = 1000;
const UNKNOWN_MAX_ROWS = 20;

export type ConfigRepository = ReturnType<typeof createConfigRepository>;

export function createConfigRepository({ read, dialect }: Database) {
  return {
    /** Uses the reading connection unless `db` is a transaction. */
    async find(keys: readonly string[], db: Db = read): Promise<StoredSetting[]> {
      const rows = await db.selectFrom("settings").selectAll().where("key", "in", keys).execute();
      return rows.map(toSetting);
    },

    /** At most twenty. */
    async unknownKeys(known: readonly string[]): Promise<string[]> {
      const query = read.selectFrom("settings").select("key").where("key", "not in", known);
      return (await query.orderBy("key").limit(UNKNOWN_MAX_ROWS).execute()).map((row) => row.key);
    },

    /** Epoch milliseconds; null before the row exists. */
    async installedAt(): Promise<number | null> {
      const row = await read
        .selectFrom("instance")
        .select("created_at")
        .where("id", "=", 1)
        .executeTakeFirst();
      return row?.created_at ?? null;
    },

    /** One writer at a time, so that joint rules hold. */
    async lock(tx: Db): Promise<void> {
      const instance = tx.selectFrom("instance").select("id").where("id", "=", 1);
      await instance.$call(dialect.forUpdate).execute();
    },

    async save(tx: Db, setting: StoredSetting): Promise<void> {
      const set = ["value", "updated_at", "updated_by"] as const;
      await dialect.upsert(tx, { table: "settings", keys: ["key"], set }, [snakeCased(setting)]);
    },

    async remove(tx: Db, key: string): Promise<void> {
      await tx.deleteFrom("settings").where("key", "=", key).execute();
    },

    /** Removes the oldest beyond the bound. */
    async addChange(tx: Db, change: Omit<SettingChange, "id">): Promise<void> {
      await dialect.insertMany(tx, "settings_history", [snakeCased(change)]);
      await trimHistory(tx, change.key);
    },

    /** Newest first. */
    async history(key: string, limit: number): Promise<SettingChange[]> {
      const query = read.selectFrom("settings_history").selectAll().where("key", "=", key);
      const rows = await query.orderBy("id", "desc").limit(limit).execute();
      return rows.map((row): SettingChange => camelCased(row));
    },
  };
}

const toSetting = (row: Selectable<Schema["settings"]>): StoredSetting => camelCased(row);

async function trimHistory(tx: Db, key: string): Promise<void> {
  const ofKey = tx.selectFrom("settings_history").select("id").where("key", "=", key);
  const oldest = await ofKey.orderBy("id", "desc").offset(HISTORY_MAX_ROWS).limit(1).executeTakeFirst();
  if (oldest === undefined) return;
  await tx.deleteFrom("settings_history").where("key", "=", key).where("id", "<=", oldest.id).execute();
}
