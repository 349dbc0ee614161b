import { sql } from "kysely";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { DIMENSIONS } from "./dimensions.ts";
import { TOTAL } from "./sums.ts";
import { monthOfDay, type Span } from "./time-buckets.ts";

const PAGE = 5_000;
const MOST_HOURS = 1_000;

export type DayMove = { hour: number; from: number; to: number };

export function createZoneChangeRepository({ dialect }: Pick<Database, "dialect">) {
  async function add(
    tx: Db,
    bucket: { table: "click_days"; key: "day" } | { table: "click_months"; key: "month" },
    rows: readonly { at: number; link_id: number; clicks: number; automated: number }[],
  ): Promise<void> {
    const { table, key } = bucket;
    const update = { table, keys: [key, "link_id"], add: ["clicks", "automated"] };
    const given = rows.map(({ at, ...row }) => ({ [key]: at, ...row }));
    await dialect.upsert(tx, update as never, given as never);
  }

  async function sweep(tx: Db, table: "click_days" | "click_months", key: string, at: number): Promise<void> {
    await sql`delete from ${sql.table(table)} where ${sql.ref(key)} = ${at} and clicks <= 0`.execute(tx);
  }

  return {
    async oldest(db: Db): Promise<{ day: number | null; hour: number | null }> {
      const [day, hour] = [
        await db.selectFrom("click_days").select("day").orderBy("day").limit(1).executeTakeFirst(),
        await db.selectFrom("click_hours").select("hour").orderBy("hour").limit(1).executeTakeFirst(),
      ];
      return { day: day?.day ?? null, hour: hour?.hour ?? null };
    },

    /** Those with clicks, from one on, in order, at most 1,000. */
    async hours(db: Db, from: number): Promise<number[]> {
      const rows = await db
        .selectFrom("click_hours")
        .select("hour")
        .where("hour", ">=", from)
        .where("link_id", "=", TOTAL)
        .orderBy("hour")
        .limit(MOST_HOURS)
        .execute();
      return rows.map(({ hour }) => hour);
    },

    /** Moves the clicks of an hour from one day to another, and from month to month. Months first, like all writers. */
    async move(tx: Db, { hour, from, to }: DayMove): Promise<void> {
      const [fromMonth, toMonth] = [monthOfDay(from), monthOfDay(to)];
      for (let after = TOTAL - 1; ; ) {
        const rows = await tx
          .selectFrom("click_hours")
          .select(["link_id", "clicks", "automated"])
          .where("hour", "=", hour)
          .where("link_id", ">", after)
          .orderBy("link_id")
          .limit(PAGE)
          .execute();
        const [last] = rows.slice(-1);
        if (last === undefined) break;
        after = last.link_id;
        const taken = rows.map(({ link_id, clicks, automated }) => ({
          link_id,
          clicks: -clicks,
          automated: -automated,
        }));
        const both = (one: number, other: number) => [
          ...taken.map((row) => ({ at: one, ...row })),
          ...rows.map((row) => ({ at: other, ...row })),
        ];
        if (fromMonth !== toMonth)
          await add(tx, { table: "click_months", key: "month" }, both(fromMonth, toMonth));
        await add(tx, { table: "click_days", key: "day" }, both(from, to));
      }
      if (fromMonth !== toMonth) await sweep(tx, "click_months", "month", fromMonth);
      await sweep(tx, "click_days", "day", from);
    },

    /** The clicks with details of these hours by their values, and their rows in the click log. */
    async details(
      db: Db,
      firstHour: number,
      { from, to }: Span,
    ): Promise<{ counted: number; logged: number }> {
      const { counted } = await db
        .selectFrom("click_dim_hours")
        .select((eb) => eb.fn.sum<number | null>("clicks").as("counted"))
        .where("hour", ">=", firstHour)
        .where("dimension", "=", DIMENSIONS.source)
        .executeTakeFirstOrThrow();
      const { logged } = await db
        .selectFrom("click_log")
        .select((eb) => eb.fn.countAll<number>().as("logged"))
        .where("clicked_at", ">=", from)
        .where("clicked_at", "<", to)
        .executeTakeFirstOrThrow();
      return { counted: Number(counted ?? 0), logged: Number(logged) };
    },
  };
}
