import { sql } from "kysely";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { TABLES } from "../../platform/db/schema.ts";
import { differs } from "./move-copy.ts";
import type { MovedTable } from "./move-tables.ts";

/** Keeps the sums of billions of rows below 2^53. */
const MODULUS = 99_991;

/** The number of rows and a sum of each column: of numbers by a modulus, of the bytes of texts. */
async function sumsOf(db: Db, { name, columns }: MovedTable): Promise<Record<string, number>> {
  const kinds = TABLES[name] as Record<string, string>;
  const sums = columns.flatMap((column, i) => {
    const value = sql.ref(column);
    const part = kinds[column]!.startsWith("text")
      ? sql`octet_length(${value})`
      : sql`${value} % ${sql.lit(MODULUS)}`;
    return [
      sql`coalesce(sum(${part}), 0) as ${sql.ref(`s${i}`)}`,
      sql`count(${value}) as ${sql.ref(`c${i}`)}`,
    ];
  });
  const { rows } = await sql<Record<string, unknown>>`
    select count(*) as n, ${sql.join(sums)} from ${sql.table(name)}`.execute(db);
  return Object.fromEntries(Object.entries(rows[0]!).map(([key, value]) => [key, Number(value)]));
}

/** Returns the number of rows. @throws Conflict naming the table that differs */
export async function compareTables(
  snapshot: Db,
  target: Database,
  tables: readonly MovedTable[],
  onProgress: (table: string) => void,
): Promise<number> {
  let rows = 0;
  for (const table of tables) {
    onProgress(table.name);
    const [here, there] = [await sumsOf(snapshot, table), await sumsOf(target.slow, table)];
    if (here["n"] !== there["n"]) throw differs(table.name, `${here["n"]} rows and ${there["n"]}`);
    const other = Object.keys(here).find((key) => here[key] !== there[key]);
    if (other !== undefined)
      throw differs(table.name, `the sums of the column ${table.columns[Number(other.slice(1))]}`);
    rows += here["n"]!;
  }
  return rows;
}
