/** The numbers that a database assigns to new rows. */
import { sql } from "kysely";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { TABLES } from "../../platform/db/schema.ts";
import { currentSchema } from "../../platform/db/move-switch.ts";
import type { MovedTable } from "./move-tables.ts";

const isSerial = ({ name }: MovedTable): boolean =>
  (TABLES[name] as Record<string, string>)["id"] === "serial";
const sequenceOf = (table: string): string => `${table}_id_seq`;

/** The last assigned number by table. */
async function lastNumbers({ slow, dialect: { name } }: Database): Promise<Map<string, number>> {
  const read = async (db: Db) => {
    // Else the server answers from statistics of the last day.
    if (name === "mysql") await sql`set session information_schema_stats_expiry = 0`.execute(db);
    const found =
      name === "sqlite"
        ? sql`select name, seq as last from sqlite_sequence`
        : name === "postgres"
          ? sql`select sequencename as name, last_value as last from pg_sequences where schemaname = current_schema()`
          : sql`select table_name as name, auto_increment - 1 as last from information_schema.tables
              where table_schema = ${currentSchema(name)}`;
    return (await found.execute(db)).rows as { name: string; last: number | null }[];
  };
  const rows = await slow.connection().execute(read);
  return new Map(rows.map(({ name: key, last }) => [key, Number(last ?? 0)]));
}

/** So that the target assigns no number that the source has assigned. */
export async function continueSequences(
  source: Database,
  target: Database,
  tables: readonly MovedTable[],
): Promise<void> {
  const [given, has] = [await lastNumbers(source), await lastNumbers(target)];
  const nameIn = (database: Database, table: string) =>
    database.dialect.name === "postgres" ? sequenceOf(table) : table;
  for (const { name } of tables.filter(isSerial)) {
    const last = given.get(nameIn(source, name)) ?? 0;
    if (last <= (has.get(nameIn(target, name)) ?? 0)) continue;
    await setLast(target, name, last);
  }
}

async function setLast({ slow, dialect: { name } }: Database, table: string, last: number): Promise<void> {
  if (name === "postgres") await sql`select setval(${sequenceOf(table)}, ${last})`.execute(slow);
  else if (name === "sqlite") {
    await sql`delete from sqlite_sequence where name = ${table}`.execute(slow);
    await sql`insert into sqlite_sequence (name, seq) values (${table}, ${last})`.execute(slow);
  } else await sql`alter table ${sql.table(table)} auto_increment = ${sql.lit(last + 1)}`.execute(slow);
}
