/** What an import imported, link by link. */
import type { RowFields } from "../../../platform/db/schema.ts";
import type { Database } from "../../../platform/db/database.ts";
import type { Db } from "../../../platform/db/dialect.ts";
import { SYSTEM } from "../../../lib/actor.ts";
import { addToTotal } from "../../../links/link/query.repository.ts";
import { NOT_MADE, PER_DAY, PER_HOUR, NO_DIMENSION } from "./visits.repository.ts";
import type { BucketIncrements, ValueIncrement } from "../../../clicks/rollups/sums.ts";
import { createDetailDropsRepository } from "../../../clicks/details/repository.ts";
import { sumHours } from "../../../clicks/flush/counts.ts";
import { createRollupsRepository } from "../../../clicks/rollups/repository.ts";
import type { Calendar } from "../../../clicks/rollups/calendar.ts";
import { createCalendars } from "../../../clicks/rollups/calendar.repository.ts";
import { monthOfDay } from "../../../clicks/rollups/time-buckets.ts";
import { chunked, foundInChunks } from "../../../lib/chunked.ts";

export type ImportedRow = Pick<
  RowFields<"import_links">,
  "linkId" | "madeAt" | "total" | "dated" | "automated"
>;

/** Returns which of some changed links nobody changed: their last change is the title of the target's page. */
async function onlyTitled(
  tx: Db,
  links: readonly { id: number; updatedAt: number; madeAt: number }[],
): Promise<Set<number>> {
  if (links.length === 0) return new Set();
  const rows = await tx
    .selectFrom("events")
    .select((eb) => {
      const isTitle = eb.and([eb("via", "=", SYSTEM.via), eb("action", "=", "link.update")]);
      return [
        "subject_id as id",
        eb.fn.max(eb.case().when(isTitle).then(eb.ref("at")).else(eb.lit(0)).end()).as("titledAt"),
        eb.fn.sum(eb.case().when("via", "=", SYSTEM.via).then(eb.lit(0)).else(eb.lit(1)).end()).as("others"),
      ];
    })
    .where(
      "subject_id",
      "in",
      links.map(({ id }) => id),
    )
    .where("at", ">", Math.min(...links.map(({ madeAt }) => madeAt)))
    .groupBy("subject_id")
    .execute();
  const changes = new Map(rows.map((row) => [row.id, row]));
  const titled = links.filter(({ id, updatedAt }) => {
    const found = changes.get(id);
    return found !== undefined && Number(found.titledAt) === updatedAt && Number(found.others) === 0;
  });
  return new Set(titled.map(({ id }) => id));
}

export function createUndoRepository({ read, dialect }: Pick<Database, "read" | "dialect">) {
  return {
    /** What is not undone yet, by link. */
    async next(importId: number, removed: 0 | 1, limit: number, db: Db = read): Promise<ImportedRow[]> {
      return db
        .selectFrom("import_links")
        .select(["link_id as linkId", "made_at as madeAt", "total", "dated", "automated"])
        .where("import_id", "=", importId)
        .where("removed", "=", removed)
        .orderBy("link_id")
        .limit(limit)
        .execute();
    },

    /** As many of the links as have at most `most` rows of sums, at least one. */
    async fitting(importId: number, links: readonly number[], most: number): Promise<Set<number>> {
      const rows = await read
        .selectFrom("import_clicks")
        .select((eb) => ["link_id", eb.fn.countAll<number>().as("n")])
        .where("import_id", "=", importId)
        .where("link_id", "in", links)
        .groupBy("link_id")
        .execute();
      const sizes = new Map(rows.map(({ link_id, n }) => [link_id, Number(n)]));
      const fitting = new Set<number>();
      let room = most;
      for (const link of links) {
        room -= sizes.get(link) ?? 0;
        if (room < 0 && fitting.size > 0) break;
        fitting.add(link);
      }
      return fitting;
    },

    onlyTitled,

    /** The imported counts of links, in whichever table they are; rows of the log, too. Locks both. */
    async takeOutCounts(tx: Db, rows: readonly ImportedRow[], before: number): Promise<void> {
      const ids = rows.map(({ linkId }) => linkId);
      for (const table of ["link_clicks", "deleted_links"] as const) {
        const query = tx.selectFrom(table).select("link_id").where("link_id", "in", ids).orderBy("link_id");
        const found = new Set((await query.$call(dialect.forUpdate).execute()).map(({ link_id }) => link_id));
        const own = rows.filter(({ linkId }) => found.has(linkId));
        const totals = { links: 0, clicks: 0, automated: 0 };
        for (const [column, countOf] of [
          ["clicks", ({ total, dated }: ImportedRow) => Math.max(total, dated)],
          ["automated", ({ automated }: ImportedRow) => automated],
        ] as const) {
          const changed = own.filter((row) => countOf(row) > 0);
          if (changed.length === 0) continue;
          const deltas = changed.map((row) => -countOf(row));
          const linkIds = changed.map(({ linkId }) => linkId);
          await dialect.addToCounters(tx, { table, key: "link_id", column }, linkIds, deltas);
          totals[column] = deltas.reduce((sum, delta) => sum + delta, 0);
        }
        if (table === "link_clicks") await addToTotal(tx, totals);
      }
      const imported = rows.reduce((sum, { total, dated }) => sum - Math.max(total, dated), 0);
      await addToTotal(tx, { links: 0, clicks: 0, automated: 0, imported });
      const made = rows.filter(({ madeAt }) => madeAt !== NOT_MADE).map(({ linkId }) => linkId);
      if (made.length === 0) return;
      await tx
        .deleteFrom("click_log")
        .where("link_id", "in", made)
        .where("clicked_at", "<", before)
        .execute();
    },

    async markRemoved(tx: Db, importId: number, links: readonly number[]): Promise<void> {
      if (links.length === 0) return;
      const query = tx.updateTable("import_links").set({ removed: 1 }).where("import_id", "=", importId);
      await query.where("link_id", "in", links).execute();
    },

    async forget(tx: Db, importId: number, links: readonly number[]): Promise<void> {
      if (links.length === 0) return;
      await tx
        .deleteFrom("import_links")
        .where("import_id", "=", importId)
        .where("link_id", "in", links)
        .execute();
    },

    /** Removes what is left of removed links without a click of their own. */
    async purge(tx: Db, links: readonly number[]): Promise<void> {
      await tx.deleteFrom("deleted_links").where("link_id", "in", links).where("clicks", "<=", 0).execute();
    },
  };
}

const CHUNK = 500;
const ALL_LINKS = 0;

type Sum = Omit<RowFields<"import_clicks">, "importId">;

const SUM_COLUMNS = [
  "link_id as linkId",
  "unit",
  "bucket",
  "dimension",
  "value_id as valueId",
  "clicks",
  "automated",
] as const;

function sumsOf(db: Db, importId: number, links: readonly number[]): Promise<Sum[]> {
  const query = db.selectFrom("import_clicks").select(SUM_COLUMNS).where("import_id", "=", importId);
  return foundInChunks(links, CHUNK, (chunk) => query.where("link_id", "in", chunk).execute());
}

/** Rows that became empty. Months first, like all writers. */
async function sweep(
  tx: Db,
  hours: readonly number[],
  links: readonly number[],
  { hour: inHours, day: inDays }: Calendar,
): Promise<void> {
  const days = [...new Set(hours.map((hour) => inDays.of(inHours.startOf(hour))))];
  const months = [...new Set(days.map(monthOfDay))];
  const ids = [...links, ALL_LINKS];
  for (const [table, column, buckets] of [
    ["click_months", "month", months],
    ["click_days", "day", days],
    ["click_hours", "hour", hours],
  ] as const) {
    for (const some of chunked(buckets, CHUNK)) {
      for (const those of chunked(ids, CHUNK)) {
        await tx
          .deleteFrom(table)
          .where(column as never, "in", some as never)
          .where("link_id", "in", those)
          .where("clicks", "<=", 0)
          .execute();
      }
    }
  }
}

async function sweepValues(
  tx: Db,
  values: readonly ValueIncrement[],
  table: "click_dim_days" | "click_dim_hours",
) {
  const buckets = [...new Set(values.map(({ bucket }) => bucket))];
  const links = [...new Set(values.map(({ linkId }) => linkId))];
  for (const some of chunked(buckets, CHUNK)) {
    if (table === "click_dim_hours") {
      await tx.deleteFrom(table).where("hour", "in", some).where("clicks", "<=", 0).execute();
      continue;
    }
    await tx
      .deleteFrom(table)
      .where("day", "in", some)
      .where("link_id", "in", links)
      .where("clicks", "<=", 0)
      .execute();
    const months = [...new Set(some.map(monthOfDay))];
    await tx.deleteFrom("click_dim_months").where("month", "in", months).where("clicks", "<=", 0).execute();
  }
}

const takenOut = (sums: readonly Sum[]): ValueIncrement[] =>
  sums.map(({ linkId, bucket, dimension, valueId, clicks, automated }) => ({
    linkId,
    bucket,
    dimension,
    valueId,
    clicks: -clicks,
    automated: -automated,
  }));

const ofAll = (importId: number, unit: number) => ({ import_id: importId, link_id: ALL_LINKS, unit });

async function forget(tx: Db, importId: number, links: readonly number[]): Promise<void> {
  const query = tx.deleteFrom("import_clicks").where("import_id", "=", importId);
  await query.where("link_id", "in", links).execute();
}

export function createUndoSums(database: Database) {
  const rollups = createRollupsRepository(database);
  const drops = createDetailDropsRepository(database);
  const calendars = createCalendars(database);
  return {
    /** Clicks by hour, day and month, and values by day, of links that go. */
    async takeOut(tx: Db, importId: number, links: readonly number[]): Promise<void> {
      const sums = await sumsOf(tx, importId, links);
      const hourly = sums.filter(({ unit, dimension }) => unit === PER_HOUR && dimension === NO_DIMENSION);
      const byHour = Map.groupBy(hourly, ({ bucket }) => bucket);
      const hours = [...byHour]
        .sort(([a], [b]) => a - b)
        .map(([bucket, rows]): BucketIncrements => {
          const sorted = rows.toSorted((a, b) => a.linkId - b.linkId);
          return {
            bucket,
            links: sorted.map(({ linkId }) => linkId),
            clicks: sorted.map(({ clicks }) => -clicks),
            automated: sorted.map(({ automated }) => -automated),
          };
        });
      if (hours.length > 0) {
        const calendar = await calendars.hold(tx);
        await rollups.addClicks(tx, sumHours(hours, calendar));
        await sweep(tx, [...byHour.keys()], links, calendar);
      }
      const daily = sums.filter(({ unit }) => unit === PER_DAY);
      const unlogged = daily.filter(({ dimension }) => dimension === NO_DIMENSION);
      await drops.takeOut(
        tx,
        unlogged.map(({ bucket, clicks }) => ({ day: bucket, clicks })),
      );
      const values = takenOut(daily.filter(({ dimension }) => dimension !== NO_DIMENSION));
      if (values.length > 0) {
        await rollups.addDayValues(tx, values);
        await sweepValues(tx, values, "click_dim_days");
      }
      await forget(tx, importId, links);
    },

    /** A link that stays keeps its visits, also in the values of all links. */
    async keep(tx: Db, importId: number, links: readonly number[]): Promise<void> {
      const sums = await sumsOf(tx, importId, links);
      const values = sums.filter(({ unit, dimension }) => unit === PER_DAY && dimension !== NO_DIMENSION);
      for (const { bucket, dimension, valueId, clicks, automated } of values) {
        await tx
          .updateTable("import_clicks")
          .set((eb) => ({ clicks: eb("clicks", "-", clicks), automated: eb("automated", "-", automated) }))
          .where((eb) => eb.and({ ...ofAll(importId, PER_DAY), bucket, dimension, value_id: valueId }))
          .execute();
      }
      // The values of an hour are not known by link, so those of its hours stay.
      const hours = sums.filter(({ unit }) => unit === PER_HOUR).map(({ bucket }) => bucket);
      for (const some of chunked([...new Set(hours)], CHUNK)) {
        await tx
          .deleteFrom("import_clicks")
          .where((eb) => eb.and(ofAll(importId, PER_HOUR)))
          .where("bucket", "in", some)
          .execute();
      }
      await forget(tx, importId, links);
    },

    /** A portion of the values of all links. False if there is none. Call it when the links are gone. */
    async takeOutTotals(tx: Db, importId: number, limit: number): Promise<boolean> {
      const query = tx.selectFrom("import_clicks").select(SUM_COLUMNS);
      const sums = await query
        .where("import_id", "=", importId)
        .where("link_id", "=", ALL_LINKS)
        .orderBy("unit")
        .orderBy("bucket")
        .limit(limit)
        .execute();
      if (sums.length === 0) return false;
      const unit = sums[0]!.unit;
      // Whole buckets, but for one that is too large.
      const ofUnit = sums.filter((sum) => sum.unit === unit);
      const values = takenOut(ofUnit.filter(({ clicks }) => clicks > 0));
      if (unit === PER_DAY) {
        // They go out of the months, too. Values of links went with the links.
        await rollups.addDayValues(tx, values);
        await sweepValues(tx, values, "click_dim_days");
      } else {
        await rollups.addHourValues(tx, values);
        await sweepValues(tx, values, "click_dim_hours");
      }
      for (const { bucket, dimension, valueId } of ofUnit) {
        await tx
          .deleteFrom("import_clicks")
          .where((eb) => eb.and({ ...ofAll(importId, unit), bucket, dimension, value_id: valueId }))
          .execute();
      }
      return true;
    },
  };
}
