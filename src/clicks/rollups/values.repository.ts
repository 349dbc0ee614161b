import { chunked, foundInChunks } from "../../lib/chunked.ts";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { type Dimension, DIMENSIONS } from "./dimensions.ts";

export type ClickValues = ReturnType<typeof createClickValues>;

const CHUNK = 500;

const find = (db: Db, dimension: Dimension, values: readonly string[]) =>
  db
    .selectFrom("click_values")
    .select(["id", "value"])
    .where("dimension", "=", DIMENSIONS[dimension])
    .where("value", "in", values)
    .execute();

export function createClickValues({ dialect }: Pick<Database, "dialect">) {
  return {
    async find(db: Db, dimension: Dimension, values: readonly string[]): Promise<Map<string, number>> {
      const found = await foundInChunks(values, CHUNK, (chunk) => find(db, dimension, chunk));
      return new Map(found.map(({ value, id }) => [value, id]));
    },

    /**
     * Ids of distinct values. Marks all as seen on that day, so that retention keeps them. Call it in the transaction
     * that uses the ids.
     */
    async intern(
      tx: Db,
      dimension: Dimension,
      values: readonly string[],
      day: number,
    ): Promise<Map<string, number>> {
      const ids = new Map<string, number>();
      for (const chunk of chunked([...values].sort(), CHUNK)) {
        // First, so that a value just removed as unused is not found.
        await tx
          .updateTable("click_values")
          .set({ seen_day: day })
          .where("dimension", "=", DIMENSIONS[dimension])
          .where("value", "in", chunk)
          .where("seen_day", "<", day)
          .execute();
        for (const { value, id } of await find(tx, dimension, chunk)) ids.set(value, id);
        const missing = chunk.filter((value) => !ids.has(value));
        if (missing.length === 0) continue;
        const added = missing.map((value) => ({ dimension: DIMENSIONS[dimension], value, seen_day: day }));
        await dialect.insertIgnore(tx, "click_values", ["dimension", "value"], added);
        for (const { value, id } of await find(tx, dimension, missing)) ids.set(value, id);
      }
      return ids;
    },
  };
}
