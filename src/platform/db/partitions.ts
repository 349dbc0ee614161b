/**
 * Tables of clicks in partitions by time, so that old rows are dropped at once. SQLite has none: its rows are deleted.
 *
 * A partition holds a day (UTC) where rows are kept up to 100 days, else a month. A job makes them ahead. Rows outside
 * of them go to the partition `rest`, so no click is refused for lack of one; making a partition takes its rows from
 * there, and deletes remove what stays.
 */
import { sql } from "kysely";
import { alter } from "./alter.ts";
import type { Dialect } from "./dialect.ts";
import type { Database } from "./dialect.ts";
import { hasLog } from "./move-switch.ts";
import { COUNTER_STORAGE, PARTITIONED, type PartitionedTable } from "./partitioned-tables.ts";

const DAY_MS = 86_400_000;

type Range = { from: number; to: number };
type Partition = Range & { name: string };

const MOST_DAYS = 100;
const DAYS_AHEAD = 7;
const MONTHS_AHEAD = 2;

const areDays = (keptDays: number): boolean => keptDays <= MOST_DAYS;

/** First instant of the day or month that contains `at`, or of the one `ahead` of it. */
function startOf(at: number, keptDays: number, ahead = 0): number {
  if (areDays(keptDays)) return (Math.floor(at / DAY_MS) + ahead) * DAY_MS;
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + ahead, 1);
}

/** Rows from then on are kept, on each database: only whole days or months go. `now` in milliseconds. */
export const keptFrom = (now: number, keptDays: number): number => startOf(now - keptDays * DAY_MS, keptDays);

export type Partitions = ReturnType<typeof createPartitions>;

export function createPartitions(database: Database) {
  const engine = ENGINES[database.dialect.name];
  return {
    /**
     * Makes the missing ones for today and the next days or months. `keptDays`: Infinity if rows are kept for ever.
     * Returns the number of statements that took.
     */
    async makeAhead(table: PartitionedTable, now: number, keptDays: number): Promise<number> {
      if (engine === null) return 0;
      const { unit } = PARTITIONED[table];
      const spans = Array.from(
        { length: 1 + (areDays(keptDays) ? DAYS_AHEAD : MONTHS_AHEAD) },
        (_, ahead) => ({
          from: startOf(now, keptDays, ahead) / unit,
          to: startOf(now, keptDays, ahead + 1) / unit,
        }),
      );
      const statements = engine.make(table, spans, await engine.list(database, table));
      for (const text of statements) await alter(database, text);
      return statements.length;
    },

    /** Drops those whose rows are all before a value of the column. Returns how many. A move copies all rows, so it waits. */
    async dropBefore(table: PartitionedTable, before: number): Promise<number> {
      if (engine === null) return 0;
      const old = (await engine.list(database, table)).filter(({ to }) => to <= before);
      if (old.length === 0 || (await hasLog(database))) return 0;
      for (const { name } of old) await alter(database, engine.drop(table, name));
      return old.length;
    },
  };
}

type Engine = {
  /** Without `rest`, in the order of time. */
  list(database: Database, table: PartitionedTable): Promise<Partition[]>;
  make(table: PartitionedTable, spans: readonly Range[], there: readonly Partition[]): string[];
  drop(table: PartitionedTable, name: string): string;
};

const dateOf = (table: PartitionedTable, value: number): string =>
  new Date(value * PARTITIONED[table].unit).toISOString().slice(0, 10).replaceAll("-", "_");

const postgres: Engine = {
  async list({ read }, table) {
    const { rows } = await sql<{ name: string; bound: string }>`
      select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = to_regclass(${table})`.execute(read);
    const found = rows.flatMap(({ name, bound }) => {
      const [, from, to] = /\('(-?\d+)'\) TO \('(-?\d+)'\)/.exec(bound) ?? [];
      return to === undefined ? [] : [{ name, from: Number(from), to: Number(to) }];
    });
    return found.toSorted((a, b) => a.from - b.from);
  },
  // One transaction. The lock keeps rows of the range from entering `rest` meanwhile; attaching blocks no other writes.
  make(table, spans, there) {
    const { column } = PARTITIONED[table];
    const parts = spans.flatMap((span) => uncovered(span, there));
    return parts.map(({ from, to }) => {
      const name = `${table}_${dateOf(table, from)}`;
      return `lock table ${table}_rest in access exclusive mode;
        create table ${name} (like ${table} including defaults)${table === "click_log" ? "" : ` ${COUNTER_STORAGE}`};
        with moved as (delete from ${table}_rest where ${column} >= ${from} and ${column} < ${to} returning *)
          insert into ${name} select * from moved;
        alter table ${table} attach partition ${name} for values from (${from}) to (${to})`;
    });
  },
  drop: (_, name) => `drop table if exists ${name}`,
};

/** Parts of the range outside of `there`, which is sorted. */
function uncovered({ from, to }: Range, there: readonly Range[]): Range[] {
  const parts: Range[] = [];
  let next = from;
  for (const range of there) {
    if (range.to <= next || range.from >= to) continue;
    if (range.from > next) parts.push({ from: next, to: range.from });
    next = range.to;
  }
  if (next < to) parts.push({ from: next, to });
  return parts;
}

/** A partition ends where the next begins, so the first one made also takes older rows. */
const mysql: Engine = {
  async list({ read }, table) {
    const { rows } = await sql<{ name: string; bound: string }>`
      select partition_name as name, partition_description as bound from information_schema.partitions
      where table_schema = database() and table_name = ${table} and partition_name <> 'rest'
      order by partition_ordinal_position`.execute(read);
    const ends = rows.map(({ name, bound }) => ({ name, to: Number(bound) }));
    return ends.map((one, at) => ({ ...one, from: ends[at - 1]?.to ?? Number.NEGATIVE_INFINITY }));
  },
  // One statement for each partition that is split: `rest`, or after a jump of the clock one that reaches too far.
  make(table, spans, there) {
    const ends = spans.map(({ to }) => to).filter((end) => !there.some(({ to }) => to === end));
    const split = Map.groupBy(ends, (end) => there.find(({ to }) => to > end));
    return [...split].map(([last, some]) => {
      const parts = some.map((to) => `partition before_${dateOf(table, to)} values less than (${to})`);
      parts.push(`partition ${last?.name ?? "rest"} values less than (${last?.to ?? "maxvalue"})`);
      return `alter table ${table} reorganize partition ${last?.name ?? "rest"} into (${parts.join(", ")})`;
    });
  },
  drop: (table, name) => `alter table ${table} drop partition ${name}`,
};

const ENGINES: Record<Dialect["name"], Engine | null> = { sqlite: null, postgres, mysql, mariadb: mysql };
