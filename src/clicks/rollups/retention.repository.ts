/** Deletes at most 1,000 rows per call, found by a key. */
import { extentOf } from "../../platform/db/queries.ts";
import { sql } from "kysely";
import type { Database } from "../../platform/db/database.ts";
import { DAY_MS } from "./time-buckets.ts";

/** Keys begin with the time. */
const KEYS = {
  click_hours: ["hour", "link_id"],
  click_days: ["day", "link_id"],
  click_months: ["month", "link_id"],
  click_dim_hours: ["hour", "dimension", "value_id"],
  click_dim_days: ["day", "link_id", "dimension", "value_id"],
  click_dim_months: ["month", "link_id", "dimension", "value_id"],
  detail_drops: ["day", "reason"],
  click_visitors: ["day", "link_id", "visitor"],
  visitor_days: ["day", "link_id"],
  missing_codes: ["day", "code"],
} as const;
export type CounterTable = keyof typeof KEYS;

const ROWS = 1_000;
/** Ids per statement. */
const WINDOW = 20_000;
const COUNT_WINDOW = 1_000_000;

export const createRetentionRepository = (database: Database) => ({
  ...counterRows(database),
  ...clickRows(database),
  ...goneLinks(database),
  ...valueRows(database),
});

function counterRows({ read, write, transaction }: Database) {
  return {
    /** Below `before`. Returns the number of rows. */
    async deleteOldest(table: CounterTable, before: number): Promise<number> {
      const key = KEYS[table];
      const columns = sql.join(key.map((name) => sql.ref(name)));
      const { rows } = await sql<Record<string, number | string>>`
        select ${columns} from ${sql.table(table)} where ${sql.ref(key[0])} < ${before}
        order by ${columns} limit ${sql.lit(ROWS)}`.execute(read);
      const last = rows.at(-1);
      if (last === undefined) return 0;
      // Everything up to the last row found, as ranges of the key.
      await transaction(async (tx) => {
        for (const [at, name] of key.entries()) {
          const equal = key.slice(0, at).map((prefix) => sql`${sql.ref(prefix)} = ${last[prefix]}`);
          const end = sql`${sql.ref(name)} ${sql.raw(at === key.length - 1 ? "<=" : "<")} ${last[name]}`;
          await sql`delete from ${sql.table(table)} where ${sql.join([...equal, end], sql` and `)}`.execute(
            tx,
          );
        }
      });
      return rows.length;
    },

    /** Oldest and newest bucket. */
    extent: (table: CounterTable) =>
      extentOf(
        read.selectFrom(table as "click_hours").select(sql<number>`${sql.ref(KEYS[table][0])}`.as("value")),
      ),

    /** Deletes the counts of up to 1,000 links. */
    async deleteCounts(
      table: "click_hours" | "click_days" | "click_months" | "click_dim_months" | "visitor_days",
      bucket: number,
      links: readonly number[],
    ): Promise<void> {
      await sql`delete from ${sql.table(table)}
        where ${sql.ref(KEYS[table][0])} = ${bucket} and link_id in (${sql.join(links)})`.execute(write);
    },
  };
}

function clickRows({ read, write }: Database) {
  return {
    /** At most `limit` (≤ 1,000). */
    async deleteOldestClicks(before: number, limit: number): Promise<number> {
      const rows = await read
        .selectFrom("click_log")
        .select("id")
        .where("clicked_at", "<", before)
        .orderBy("clicked_at")
        .limit(Math.min(limit, ROWS))
        .execute();
      return deleteClicks(rows.map((row) => row.id));
    },

    /** Exact if it may exceed `limit`; otherwise a bound not above it. */
    async countClicks(limit: number): Promise<number> {
      const ids = await extentOf(read.selectFrom("click_log").select("id as value"));
      if (ids === null) return 0;
      const { from: first, to: last } = ids;
      if (last - first + 1 <= limit) return last - first + 1;
      let count = 0;
      for (let from = first; from <= last; from += COUNT_WINDOW) {
        const { clicks } = await read
          .selectFrom("click_log")
          .select((eb) => eb.fn.countAll<number>().as("clicks"))
          .where("id", ">=", from)
          .where("id", "<", from + COUNT_WINDOW)
          .executeTakeFirstOrThrow();
        count += Number(clicks);
      }
      return count;
    },

    logExtent: () => extentOf(read.selectFrom("click_log").select("clicked_at as value")),

    /** At most 1,000 links. Returns the number of rows. */
    async deleteClicksOf(links: readonly number[], day: number): Promise<number> {
      const rows = await read
        .selectFrom("click_log")
        .select("id")
        .where("clicked_at", ">=", day * DAY_MS)
        .where("clicked_at", "<", (day + 1) * DAY_MS)
        .where("link_id", "in", links)
        .limit(ROWS)
        .execute();
      return deleteClicks(rows.map((row) => row.id));
    },
  };

  async function deleteClicks(ids: readonly number[]): Promise<number> {
    if (ids.length > 0) await write.deleteFrom("click_log").where("id", "in", ids).execute();
    return ids.length;
  }
}

function goneLinks({ read, write }: Database) {
  return {
    async months(): Promise<number[]> {
      const rows = await read
        .selectFrom("click_months")
        .select("month")
        .distinct()
        .orderBy("month")
        .execute();
      return rows.map((row) => row.month);
    },

    /**
     * Up to 1,000 links from a link on with counts in a month but without a code, not even a deleted one. `next`: null
     * at the end.
     */
    async unknownLinks(month: number, from: number): Promise<{ links: number[]; next: number | null }> {
      const first = await read
        .selectFrom("click_months")
        .select("link_id")
        .where("month", "=", month)
        .where("link_id", ">=", Math.max(from, 1))
        .orderBy("link_id")
        .limit(1)
        .executeTakeFirst();
      if (first === undefined) return { links: [], next: null };
      const rows = await read
        .selectFrom("click_months")
        .leftJoin("links", "links.id", "click_months.link_id")
        .leftJoin("deleted_links", "deleted_links.link_id", "click_months.link_id")
        .select("click_months.link_id")
        .where("month", "=", month)
        .where("click_months.link_id", ">=", first.link_id)
        .where("click_months.link_id", "<", first.link_id + WINDOW)
        .where("links.id", "is", null)
        .where("deleted_links.link_id", "is", null)
        .orderBy("click_months.link_id")
        .limit(ROWS)
        .execute();
      const links = rows.map((row) => row.link_id);
      return { links, next: links.length < ROWS ? first.link_id + WINDOW : links.at(-1)! + 1 };
    },

    /**
     * From a link on, removes codes of links deleted before an instant, which can't be put back any more, and without
     * counts in `months` (all there are). Returns the next link, or null.
     */
    async forgetDeleted(before: number, months: readonly number[], from: number): Promise<number | null> {
      const rows = await read
        .selectFrom("deleted_links")
        .select((eb) => ["link_id", "deleted_at", eb("content", "is", null).as("isForgotten")])
        .where("link_id", ">=", from)
        .orderBy("link_id")
        .limit(ROWS)
        .execute();
      const unused = new Set(
        rows.filter((row) => row.isForgotten && row.deleted_at < before).map((row) => row.link_id),
      );
      for (const month of unused.size === 0 ? [] : months) {
        const counted = read.selectFrom("click_months").select("link_id").where("month", "=", month);
        const found = await counted.where("link_id", "in", [...unused]).execute();
        for (const { link_id } of found) unused.delete(link_id);
        if (unused.size === 0) break;
      }
      if (unused.size > 0)
        await write
          .deleteFrom("deleted_links")
          .where("link_id", "in", [...unused])
          .execute();
      return rows.length < ROWS ? null : rows.at(-1)!.link_id + 1;
    },
  };
}

function valueRows({ read, write }: Database) {
  return {
    /** Links with values on a day, and their number of rows. */
    async valueRows(day: number, links: readonly number[]): Promise<{ link: number; rows: number }[]> {
      const rows = await read
        .selectFrom("click_dim_days")
        .select((eb) => ["link_id as link", eb.fn.countAll<number>().as("rows")])
        .where("day", "=", day)
        .where("link_id", "in", links)
        .groupBy("link_id")
        .execute();
      return rows.map((row) => ({ link: row.link, rows: Number(row.rows) }));
    },

    async deleteValueCounts(day: number, links: readonly number[]): Promise<void> {
      await write.deleteFrom("click_dim_days").where("day", "=", day).where("link_id", "in", links).execute();
    },

    /** Deletes texts not seen since a day, from an id on. Returns the next id, or null. */
    async deleteUnseen(
      table: "click_values" | "user_agents",
      before: number,
      from: number,
    ): Promise<number | null> {
      const first = await read
        .selectFrom(table)
        .select("id")
        .where("id", ">=", from)
        .orderBy("id")
        .limit(1)
        .executeTakeFirst();
      if (first === undefined) return null;
      const rows = await read
        .selectFrom(table)
        .select("id")
        .where("id", ">=", first.id)
        .where("id", "<", first.id + WINDOW)
        .where("seen_day", "<", before)
        .orderBy("id")
        .limit(ROWS)
        .execute();
      const ids = rows.map((row) => row.id);
      if (ids.length > 0) {
        // Checks again: a flush may have just seen one.
        await write.deleteFrom(table).where("id", "in", ids).where("seen_day", "<", before).execute();
      }
      return ids.length < ROWS ? first.id + WINDOW : ids.at(-1)! + 1;
    },
  };
}
