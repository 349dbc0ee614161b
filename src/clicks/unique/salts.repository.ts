import type { Database } from "../../platform/db/database.ts";

export type SaltRepository = ReturnType<typeof createSaltRepository>;

export function createSaltRepository({ read, write, dialect, transaction }: Database) {
  return {
    async read(day: number): Promise<string | null> {
      const row = await read
        .selectFrom("visitor_salts")
        .select("salt")
        .where("day", "=", day)
        .executeTakeFirst();
      return row?.salt ?? null;
    },

    /** Keeps the salt of a process that was faster. */
    add: (day: number, salt: string): Promise<void> =>
      dialect.insertIgnore(write, "visitor_salts", ["day"], [{ day, salt }]),

    /** Destroys the salts of days before one: overwrites them where a row stays in its place, then removes them. */
    async destroyBefore(day: number): Promise<number> {
      const old = await read
        .selectFrom("visitor_salts")
        .select(["day", "salt"])
        .where("day", "<", day)
        .execute();
      if (old.length === 0) return 0;
      const blank = old.map((row) => ({ day: row.day, salt: "0".repeat(row.salt.length) }));
      const update = { table: "visitor_salts", key: "day", set: ["salt"] } as const;
      await transaction((tx) => dialect.updateMany(tx, update, blank));
      await write.deleteFrom("visitor_salts").where("day", "<", day).execute();
      await dialect.clearLog?.(write);
      return old.length;
    },
  };
}
