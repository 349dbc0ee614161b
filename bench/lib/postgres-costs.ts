/** What the tables of clicks and the processes of a PostgreSQL server take. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { sql } from "kysely";
import type { Database } from "../../src/platform/db/database.ts";
import { processSeconds } from "./machine.ts";

export const TABLES = [
  "click_log",
  "click_hours",
  "click_days",
  "click_months",
  "click_dim_days",
  "others",
] as const;
export type Table = (typeof TABLES)[number];

/** With indexes and partitions. */
export async function sizesOf({ read }: Database): Promise<Record<Table, number>> {
  const { rows } = await sql<{ name: string; bytes: string }>`
    select coalesce(i.inhparent::regclass, c.oid::regclass)::text as name, sum(pg_total_relation_size(c.oid)) as bytes
    from pg_class c left join pg_inherits i on i.inhrelid = c.oid
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace group by 1`.execute(read);
  const sizes = Object.fromEntries(TABLES.map((name) => [name, 0])) as Record<Table, number>;
  for (const { name, bytes } of rows)
    sizes[(TABLES as readonly string[]).includes(name) ? (name as Table) : "others"] += Number(bytes);
  return sizes;
}

export async function rowsOf({ slow }: Database): Promise<Partial<Record<Table, number>>> {
  const rows: Partial<Record<Table, number>> = {};
  for (const table of TABLES) {
    if (table === "others") continue;
    const found = await sql<{ n: string }>`select count(*) as n from ${sql.table(table)}`.execute(slow);
    rows[table] = Number(found.rows[0]!.n);
  }
  return rows;
}

export async function walBytes({ read }: Database): Promise<number> {
  const { rows } = await sql<{ bytes: string }>`
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as bytes`.execute(read);
  return Number(rows[0]!.bytes);
}

/** Processor time of all processes of the server, even of ended ones, which its postmaster has waited for. */
export async function serverProcesses({ read }: Database) {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(read);
  const parent = (pid: number) => Number(fields(pid)[1]);
  const postmaster = parent(rows[0]!.pid);
  return {
    seconds(): number {
      const pids = readdirSync("/proc")
        .map(Number)
        .filter((pid) => pid > 0 && isThere(pid) && parent(pid) === postmaster);
      // Fields 13 and 14: of children that ended, in ticks.
      const ended = (Number(fields(postmaster)[13]) + Number(fields(postmaster)[14])) / 100;
      return pids.reduce((sum, pid) => sum + processSeconds(pid), ended);
    },
  };
}

const isThere = (pid: number): boolean =>
  statSync(`/proc/${pid}/stat`, { throwIfNoEntry: false }) !== undefined;

/** Of /proc/PID/stat after the name. */
const fields = (pid: number): string[] =>
  readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
