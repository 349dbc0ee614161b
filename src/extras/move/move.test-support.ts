import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { TABLES, type TableName } from "../../platform/db/schema.ts";
import { LEFT_OUT, MOVED } from "./move-tables.ts";

/** A row of any table that fits every column and refers to the rows of the same number. */
export function sampleRow(table: TableName, n: number): Record<string, unknown> {
  const valueOf = (kind: string): unknown =>
    kind.endsWith("?") && n % 3 === 0 ? null : kind.startsWith("text") ? `é${n}` : n;
  return Object.fromEntries(Object.entries(TABLES[table]).map(([name, kind]) => [name, valueOf(kind)]));
}

/** Their rows are those of migrations. */
const MADE: readonly TableName[] = ["instance", "click_zones", "reuse_turns"];

export async function fillTables(database: Database, numbers: readonly number[]): Promise<void> {
  for (const table of [...MOVED, ...LEFT_OUT]) {
    const chosen = MADE.includes(table) ? [] : numbers;
    // The feed numbers its rows itself, from the highest one; the end of a move writes one.
    const rows = chosen.map((n) => sampleRow(table, table === "changes" ? n * 1_000 : n));
    await database.transaction((tx: Db) => database.dialect.insertMany(tx, table, rows as never));
  }
}

/** All rows of the tables that a move copies, as texts in an order of their own. */
export async function rowsOf({ read }: Database): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const table of MOVED) {
    const rows = (await read.selectFrom(table).selectAll().execute()) as Record<string, unknown>[];
    found[table] = rows
      .map((row) => JSON.stringify(Object.keys(TABLES[table]).map((name) => row[name])))
      .toSorted();
  }
  return found;
}
