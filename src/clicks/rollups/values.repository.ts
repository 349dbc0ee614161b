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

export function createClickValues({ dialect }: Database) {
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

type Bucket = { bucket: number; linkId: number };
export type GroupCount = Bucket & { dimension: number; values: number };
export type GroupValue = Bucket & { dimension: number; valueId: number };

export type BoundsRepository = ReturnType<typeof createBoundsRepository>;

/** A list of ids must not be empty. */
const NO_ID = -1;

export function createBoundsRepository({ dialect }: Database) {
  return {
    /** Counts links (0: all), without some ids. */
    async dayCounts(tx: Db, groups: readonly Bucket[], except: readonly number[]): Promise<GroupCount[]> {
      const found: GroupCount[] = [];
      for (const [day, links] of Map.groupBy(groups, ({ bucket }) => bucket)) {
        for (const chunk of chunked(links, CHUNK)) {
          const rows = await tx
            .selectFrom("click_dim_days")
            .select((eb) => ["link_id", "dimension", eb.fn.countAll<number>().as("values")])
            .where("day", "=", day)
            .where(
              "link_id",
              "in",
              chunk.map(({ linkId }) => linkId),
            )
            .where("value_id", "not in", [...except, NO_ID])
            .groupBy(["link_id", "dimension"])
            .execute();
          for (const { link_id, dimension, values } of rows)
            found.push({ bucket: day, linkId: link_id, dimension, values: Number(values) });
        }
      }
      return found;
    },

    /** All links together. */
    async hourCounts(tx: Db, groups: readonly Bucket[], except: readonly number[]): Promise<GroupCount[]> {
      const found: GroupCount[] = [];
      for (const chunk of chunked(groups, CHUNK)) {
        const rows = await tx
          .selectFrom("click_dim_hours")
          .select((eb) => ["hour", "dimension", eb.fn.countAll<number>().as("values")])
          .where(
            "hour",
            "in",
            chunk.map(({ bucket }) => bucket),
          )
          .where("value_id", "not in", [...except, NO_ID])
          .groupBy(["hour", "dimension"])
          .execute();
        for (const { hour, dimension, values } of rows)
          found.push({ bucket: hour, linkId: 0, dimension, values: Number(values) });
      }
      return found;
    },

    /** Those that exist in the rollups. */
    existingDayValues(tx: Db, values: readonly GroupValue[]): Promise<GroupValue[]> {
      const columns = ["day", "link_id", "dimension", "value_id"] as const;
      return foundInChunks(values, CHUNK, (chunk) => {
        const keys = chunk.map((value) => ({
          day: value.bucket,
          link_id: value.linkId,
          dimension: value.dimension,
          value_id: value.valueId,
        }));
        return tx
          .selectFrom(dialect.valuesTable("click_dim_days", columns, keys))
          .innerJoin("click_dim_days as d", (join) =>
            join
              .onRef("d.day", "=", "v.day")
              .onRef("d.link_id", "=", "v.link_id")
              .onRef("d.dimension", "=", "v.dimension")
              .onRef("d.value_id", "=", "v.value_id"),
          )
          .select(["d.day as bucket", "d.link_id as linkId", "d.dimension", "d.value_id as valueId"])
          .execute();
      });
    },

    async existingHourValues(tx: Db, values: readonly GroupValue[]): Promise<GroupValue[]> {
      const columns = ["hour", "dimension", "value_id"] as const;
      const rows = await foundInChunks(values, CHUNK, (chunk) => {
        const keys = chunk.map((value) => ({
          hour: value.bucket,
          dimension: value.dimension,
          value_id: value.valueId,
        }));
        return tx
          .selectFrom(dialect.valuesTable("click_dim_hours", columns, keys))
          .innerJoin("click_dim_hours as h", (join) =>
            join
              .onRef("h.hour", "=", "v.hour")
              .onRef("h.dimension", "=", "v.dimension")
              .onRef("h.value_id", "=", "v.value_id"),
          )
          .select(["h.hour as bucket", "h.dimension", "h.value_id as valueId"])
          .execute();
      });
      return rows.map((row) => ({ ...row, linkId: 0 }));
    },
  };
}

/** Counts the clicks with details by hour, for all links together; hours without any are missing. */
export async function detailedClicksOf(db: Db, hours: readonly number[]): Promise<Map<number, number>> {
  if (hours.length === 0) return new Map();
  const rows = await db
    .selectFrom("click_dim_hours")
    .select((eb) => ["hour", eb.fn.sum<number>("clicks").as("clicks")])
    .where("hour", "in", hours)
    .where("dimension", "=", DIMENSIONS.source)
    .groupBy("hour")
    .execute();
  return new Map(rows.map(({ hour, clicks }) => [hour, Number(clicks)]));
}
