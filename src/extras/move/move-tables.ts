/** What a move copies. */
import { type RawBuilder, sql } from "kysely";
import type { Row } from "../../platform/db/bulk.ts";
import type { Database } from "../../platform/db/database.ts";
import type { Db, Dialect } from "../../platform/db/dialect.ts";
import { currentSchema } from "../../platform/db/move-switch.ts";
import { PARTITIONED } from "../../platform/db/partitioned-tables.ts";
import { TABLES, type TableName } from "../../platform/db/schema.ts";

export type MovedTable = {
  name: TableName;
  /** They identify a row, in the order of the primary key. */
  keys: readonly string[];
  columns: readonly string[];
};

export type Key = readonly (string | number)[];

/** The tables of running processes, and sums that are made of others: they are begun anew. */
export const LEFT_OUT: readonly TableName[] = [
  "changes",
  "leases",
  "click_day_changes",
  "click_sets",
  "click_set_days",
  "click_set_values",
];

/** Other tables refer to these, and each of these at most to those before it. */
const REFERRED: readonly TableName[] = [
  "users",
  "sessions",
  "teams",
  "policies",
  "blobs",
  "entries",
  "links",
  "report_mails",
];

/**
 * Columns of unique indexes whose values can pass from one row to another. A changed row first gives them up, so that
 * the order of changes within a table does not matter.
 */
export const PASSED_ON: Partial<Record<TableName, readonly string[]>> = {
  links: ["code"],
  tags: ["tag"],
  domains: ["host"],
  click_values: ["value"],
  user_agents: ["hash"],
  users: ["username"],
  teams: ["name"],
  tokens: ["hash", "name"],
  passkeys: ["credential_hash"],
  account_mail: ["email"],
  mails: ["once_key"],
  policies: ["name", "is_default"],
  blobs: ["retired", "object_key"],
  entries: ["name"],
  copy_items: ["source_id"],
  share_recipients: ["email"],
  report_readers: ["email", "token"],
  webhook_deliveries: ["event_id"],
  presets: ["name"],
  bulk_changes: ["bulk"],
};

/** Returns a value that is unique among those of all rows. */
export function placeholderFor(table: TableName, column: string): RawBuilder<unknown> {
  const kind = (TABLES[table] as Record<string, string>)[column]!;
  if (kind.endsWith("?")) return sql`null`;
  return kind === "int" ? sql`-id` : sql`concat('~', id)`;
}

/** Those that are referred to come first. */
export const MOVED: readonly TableName[] = [
  ...REFERRED,
  ...(Object.keys(TABLES) as TableName[]).filter(
    (name) => !REFERRED.includes(name) && !LEFT_OUT.includes(name),
  ),
];

export async function movedTables({ read, dialect }: Database): Promise<MovedTable[]> {
  const found =
    dialect.name === "sqlite"
      ? sql`select m.name as "table", p.name as "column" from sqlite_schema m, pragma_table_info(m.name) p
          where m.type = 'table' and p.pk > 0 order by m.name, p.pk`
      : sql`select k.table_name as ${sql.ref("table")}, k.column_name as ${sql.ref("column")}
          from information_schema.table_constraints c
          join information_schema.key_column_usage k on k.constraint_schema = c.constraint_schema
            and k.constraint_name = c.constraint_name and k.table_name = c.table_name
          where c.constraint_type = 'PRIMARY KEY' and c.table_schema = ${currentSchema(dialect.name)}
          order by k.table_name, k.ordinal_position`;
  const { rows } = (await found.execute(read)) as { rows: { table: string; column: string }[] };
  return MOVED.map((name) => {
    const keys = rows.filter(({ table }) => table === name).map(({ column }) => column);
    // Where a table is partitioned, the time is in the key of rows that a number identifies.
    return { name, keys: keys.includes("id") ? ["id"] : keys, columns: Object.keys(TABLES[name]) };
  });
}

/** The unique index of the keys in a database: where numbered rows are partitioned, it contains their time. */
export const uniqueKeys = ({ name, keys }: MovedTable, dialect: Dialect["name"]): readonly string[] =>
  name === "click_log" && dialect !== "sqlite" ? [...keys, PARTITIONED[name].column] : keys;

/** SQL that MySQL, too, reads from the index of the key. */
export function afterKey(dialect: Dialect["name"], keys: readonly string[], place: Key) {
  const names = keys.map((name) => sql.ref(name));
  if (dialect === "sqlite" || dialect === "postgres") return sql`(${sql.join(names)}) > (${sql.join(place)})`;
  const steps = names.map((name, i) => {
    const same = names.slice(0, i).map((before, j) => sql`${before} = ${place[j]}`);
    return sql`(${sql.join([...same, sql`${name} > ${place[i]}`], sql` and `)})`;
  });
  return sql`(${sql.join(steps, sql` or `)})`;
}

/** A condition for some hundred keys. */
export function amongKeys(keys: readonly string[], values: readonly Key[]): RawBuilder<unknown> {
  if (keys.length === 1) return sql`${sql.ref(keys[0]!)} in (${sql.join(values.map(([value]) => value))})`;
  const rows = values.map(
    (key) =>
      sql`(${sql.join(
        key.map((value, i) => sql`${sql.ref(keys[i]!)} = ${value}`),
        sql` and `,
      )})`,
  );
  return sql`(${sql.join(rows, sql` or `)})`;
}

export const rowKey = ({ keys }: MovedTable, row: Row): Key =>
  keys.map((name) => row[name] as string | number);

const CONSISTENT = [
  "set transaction isolation level repeatable read",
  "start transaction with consistent snapshot, read only",
];
const BEGIN: Record<Dialect["name"], readonly string[]> = {
  sqlite: ["begin"],
  postgres: ["begin isolation level repeatable read read only"],
  mysql: CONSISTENT,
  mariadb: CONSISTENT,
};

/** All queries see the database as it was at the first one. Statements may take ten minutes. */
export async function inSnapshot<T>(
  { dialect, read, slow }: Database,
  run: (db: Db) => Promise<T>,
): Promise<T> {
  return (dialect.hasOneWriter ? read : slow).connection().execute(async (db) => {
    for (const text of BEGIN[dialect.name]) await sql.raw(text).execute(db);
    try {
      return await run(db);
    } finally {
      // The command ends with its connections if this fails.
      await sql`rollback`.execute(db).catch(() => {});
    }
  });
}
