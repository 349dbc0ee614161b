import { chunked, foundInChunks } from "../../lib/chunked.ts";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";

type Bucket = { bucket: number; linkId: number };
export type GroupCount = Bucket & { dimension: number; values: number };
export type GroupValue = Bucket & { dimension: number; valueId: number };

export type BoundsRepository = ReturnType<typeof createBoundsRepository>;

const CHUNK = 500;
/** A list of ids must not be empty. */
const NO_ID = -1;

export function createBoundsRepository({ dialect }: Pick<Database, "dialect">) {
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
        const asked = chunk.map((value) => ({
          day: value.bucket,
          link_id: value.linkId,
          dimension: value.dimension,
          value_id: value.valueId,
        }));
        return tx
          .selectFrom(dialect.valuesTable("click_dim_days", columns, asked))
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
        const asked = chunk.map((value) => ({
          hour: value.bucket,
          dimension: value.dimension,
          value_id: value.valueId,
        }));
        return tx
          .selectFrom(dialect.valuesTable("click_dim_hours", columns, asked))
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
