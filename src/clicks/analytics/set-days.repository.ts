/**
 * Sums of the values of whole sets of links by day. A report over many links then reads a day once, instead of once for
 * each of them.
 *
 * A day is added up with its month locked, which every writer of values locks first. From then on writers count the
 * day's changes, and a day whose count has moved is not used until it is added up again. So late clicks, imports and
 * rebuilds show at once.
 */
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import type { LinkSet } from "../../links/list/link-set.repository.ts";
import { type Dimension, DIMENSIONS } from "../rollups/dimensions.ts";
import { createRebuildRepository } from "../rollups/rebuild.repository.ts";
import { monthOfDay } from "../rollups/time-buckets.ts";

/** Days of a set that can be read instead of those of its links. */
export type SetDays = { set: number; days: readonly number[] };

export type SetDaysRepository = ReturnType<typeof createSetDays>;

/** Of reports; `source` tells how many clicks there are. */
const SUMMED: readonly Dimension[] = ["source", "place", "agent", "referrer", "utm_campaign"];
/** Fewer links are read as fast one by one. */
const LEAST_LINKS = 30;
const FORGET_SETS_AFTER_DAYS = 30;

export const areSummedInSets = (dimension: Dimension): boolean => SUMMED.includes(dimension);

const removeDay = async (tx: Db, set: number, day: number): Promise<void> => {
  for (const dimension of SUMMED)
    await tx
      .deleteFrom("click_set_values")
      .where("set_id", "=", set)
      .where("dimension", "=", DIMENSIONS[dimension])
      .where("day", "=", day)
      .execute();
  await tx.deleteFrom("click_set_days").where("set_id", "=", set).where("day", "=", day).execute();
};

function createAddUp(database: Database) {
  const { dialect, transaction } = database;
  const rollups = createRebuildRepository(database);
  return (set: number, links: readonly number[], day: number): Promise<void> =>
    transaction(
      async (tx) => {
        await rollups.lockMonth(tx, monthOfDay(day));
        await dialect.insertIgnore(tx, "click_day_changes", ["day"], [{ day, changes: 0 }]);
        const { changes } = await tx
          .selectFrom("click_day_changes")
          .select("changes")
          .where("day", "=", day)
          .executeTakeFirstOrThrow();
        await removeDay(tx, set, day);
        await tx
          .insertInto("click_set_values")
          .columns(["set_id", "dimension", "day", "value_id", "clicks", "automated"])
          .expression((eb) =>
            eb
              .selectFrom("click_dim_days")
              .select((e) => [
                e.lit(set).as("set_id"),
                "dimension",
                e.lit(day).as("day"),
                "value_id",
                e.fn.sum<number>("clicks").as("clicks"),
                e.fn.sum<number>("automated").as("automated"),
              ])
              .where("day", "=", day)
              .where("link_id", "in", links)
              .where(
                "dimension",
                "in",
                SUMMED.map((dimension) => DIMENSIONS[dimension]),
              )
              .groupBy(["dimension", "value_id"]),
          )
          .execute();
        await tx.insertInto("click_set_days").values({ set_id: set, day, changes }).execute();
      },
      { long: true },
    );
}

export function createSetDays(database: Database) {
  const { read, write, dialect, transaction } = database;
  const addUp = createAddUp(database);

  /** Null for a set that is not added up. */
  const nameOf = (links: LinkSet | null): string | null =>
    links === null || "query" in links || links.ids.length < LEAST_LINKS
      ? null
      : new Bun.CryptoHasher("sha256")
          .update(links.ids.toSorted((a, b) => a - b).join(" "))
          .digest("base64url");

  const find = (name: string) =>
    read.selectFrom("click_sets").select(["id", "used_day"]).where("links", "=", name).executeTakeFirst();

  async function setFor(name: string, today: number): Promise<number> {
    const found = await find(name);
    if (found === undefined) {
      await dialect.insertIgnore(write, "click_sets", ["links"], [{ links: name, used_day: today }]);
      return (
        await write.selectFrom("click_sets").select("id").where("links", "=", name).executeTakeFirstOrThrow()
      ).id;
    }
    if (found.used_day < today)
      await write.updateTable("click_sets").set({ used_day: today }).where("id", "=", found.id).execute();
    return found.id;
  }

  async function currentDays(set: number, days: readonly number[]): Promise<number[]> {
    const rows = await read
      .selectFrom("click_set_days as kept")
      .innerJoin("click_day_changes as now", (join) =>
        join.onRef("now.day", "=", "kept.day").onRef("now.changes", "=", "kept.changes"),
      )
      .select("kept.day")
      .where("kept.set_id", "=", set)
      .where("kept.day", "in", days)
      .execute();
    return rows.map(({ day }) => day);
  }

  return {
    /** Those of the days that are added up and have not changed since; null: none. */
    async of(links: LinkSet | null, days: readonly number[]): Promise<SetDays | null> {
      const name = days.length === 0 ? null : nameOf(links);
      const found = name === null ? undefined : await find(name);
      if (found === undefined) return null;
      return { set: found.id, days: await currentDays(found.id, days) };
    },

    /** Adds up the days that are not. */
    async keep(
      links: LinkSet | null,
      days: readonly number[],
      today: number,
      signal: AbortSignal,
    ): Promise<void> {
      const name = days.length === 0 ? null : nameOf(links);
      if (name === null) return;
      const set = await setFor(name, today);
      const known = new Set(await currentDays(set, days));
      for (const day of days)
        if (!known.has(day) && !signal.aborted)
          await addUp(set, (links as { ids: readonly number[] }).ids, day);
    },

    /** Removes sets that no report has had for a while, and days before one. */
    async forget(today: number, oldestDay: number): Promise<void> {
      for (const { id, used_day } of await read
        .selectFrom("click_sets")
        .select(["id", "used_day"])
        .execute()) {
        const isUnused = used_day < today - FORGET_SETS_AFTER_DAYS;
        const old = read.selectFrom("click_set_days").select("day").where("set_id", "=", id);
        const days = await old.where("day", "<", isUnused ? Number.MAX_SAFE_INTEGER : oldestDay).execute();
        for (const { day } of days) await transaction((tx) => removeDay(tx, id, day));
        if (isUnused) await write.deleteFrom("click_sets").where("id", "=", id).execute();
      }
      await write.deleteFrom("click_day_changes").where("day", "<", oldestDay).execute();
    },
  };
}
