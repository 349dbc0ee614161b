/**
 * The dialects' bulk statements. Rows of a chunk travel as few parameters (JSON text, arrays), so each SQL text serves
 * any number of rows and is prepared once.
 */
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Dialect } from "./dialect.ts";
import type { ColumnKind } from "./column-kind.ts";
import { TABLES, type TableName } from "./schema.ts";

export type BulkColumn = { name: string; kind: ColumnKind };

export type Row = Readonly<Record<string, unknown>>;

export type BulkSyntax = {
  /** A table expression with alias `v`. */
  values(columns: readonly BulkColumn[], rows: readonly (readonly unknown[])[]): RawBuilder<unknown>;
  /** The end of an `insert … select`. Without assignments existing rows stay. */
  onConflict(table: string, keys: readonly string[], assignments: readonly Assignment[]): RawBuilder<unknown>;
  update(
    table: string,
    key: string,
    assignments: readonly Assignment[],
    values: RawBuilder<unknown>,
  ): RawBuilder<unknown>;
};

/** Takes the value of the same column in `v`. */
export type Assignment = { column: string; add: boolean };

/** Far below every server's packet limit (16 MB or more). */
export const CHUNK_ROWS = 1_000;

const CHUNK_BYTES = 4_000_000;

export type Bulk = Pick<
  Dialect,
  "addToCounters" | "insertMany" | "insertIgnore" | "upsert" | "updateMany" | "valuesTable"
>;

export function createBulk(words: BulkSyntax): Bulk {
  const valuesOf = (table: TableName, columns: readonly string[], rows: readonly Row[]) =>
    words.values(
      columns.map((name) => ({ name, kind: kindOf(table, name) })),
      rows.map((row) => columns.map((name) => row[name] ?? null)),
    );

  const insert = async (
    db: unknown,
    table: TableName,
    rows: readonly Row[],
    ending: (columns: readonly string[]) => RawBuilder<unknown>,
  ) => {
    const columns = Object.keys(rows[0] ?? {});
    for (const chunk of portionsOf(rows)) {
      const names = sql.join(columns.map((column) => sql.ref(column)));
      const values = sql.join(columns.map((column) => sql.ref(`v.${column}`)));
      await sql`insert into ${sql.table(table)} (${names}) select ${values} from ${valuesOf(
        table,
        columns,
        chunk,
      )} where true ${ending(columns)}`.execute(db as Kysely<unknown>);
    }
  };

  const update = async (
    db: unknown,
    table: TableName,
    key: string,
    assignments: readonly Assignment[],
    rows: readonly Row[],
  ): Promise<number> => {
    let found = 0;
    const columns = [key, ...assignments.map(({ column }) => column)];
    for (const chunk of portionsOf(rows)) {
      const statement = words.update(table, key, assignments, valuesOf(table, columns, chunk));
      const { numAffectedRows } = await statement.execute(db as Kysely<unknown>);
      found += Number(numAffectedRows ?? 0);
    }
    return found;
  };

  return {
    insertMany: (db, table, rows) => insert(db, table, rows as readonly Row[], () => sql``),
    insertIgnore: (db, table, keys, rows) =>
      insert(db, table, rows as readonly Row[], () => words.onConflict(table, keys, [])),
    upsert: (db, { table, keys, set = [], add = [] }, rows) =>
      insert(db, table, rows as readonly Row[], () => words.onConflict(table, keys, assignmentsOf(set, add))),
    updateMany: async (db, { table, key, set = [], add = [] }, rows) =>
      void (await update(db, table, key, assignmentsOf(set, add), rows as readonly Row[])),
    addToCounters: (db, { table, key, column }, keys, deltas) => {
      const rows = keys.map((value, i) => ({ [key]: value, [column]: deltas[i]! }));
      // A common order of all writers makes deadlocks rare.
      rows.sort((a, b) => a[key]! - b[key]!);
      return update(db, table, key, [{ column, add: true }], rows);
    },
    valuesTable: (table, columns, rows) => {
      if (rows.length > CHUNK_ROWS) throw new Error(`At most ${CHUNK_ROWS} rows fit into a table of values.`);
      const values = valuesOf(table, columns, rows as readonly Row[]);
      return sql`(select * from ${values})`.as<"v">(sql`v`) as never;
    },
  };
}

export const assignmentsOf = (set: readonly string[], add: readonly string[]): Assignment[] => [
  ...set.map((column) => ({ column, add: false })),
  ...add.map((column) => ({ column, add: true })),
];

function kindOf(table: TableName, column: string): ColumnKind {
  const kind = (TABLES[table] as Record<string, ColumnKind>)[column];
  if (kind === undefined) throw new Error(`Table ${table} has no column ${column}.`);
  return kind;
}

function* portionsOf(rows: readonly Row[]): Generator<readonly Row[]> {
  let start = 0;
  let bytes = 0;
  for (let i = 0; i < rows.length; i++) {
    const size = sizeOf(rows[i]!);
    if (i > start && (i - start >= CHUNK_ROWS || bytes + size > CHUNK_BYTES)) {
      yield rows.slice(start, i);
      start = i;
      bytes = 0;
    }
    bytes += size;
  }
  if (start < rows.length) yield rows.slice(start);
}

/** UTF-8 takes at most three bytes per UTF-16 unit. */
function sizeOf(row: Row): number {
  let bytes = 0;
  for (const value of Object.values(row)) bytes += typeof value === "string" ? value.length * 3 : 16;
  return bytes;
}

/** `qualified` prefixes the target with the table. */
export const assign = (table: string, { column, add }: Assignment, source: string, qualified: boolean) => {
  const target = sql.ref(qualified ? `${table}.${column}` : column);
  const given = sql.ref(`${source}.${column}`);
  return add ? sql`${target} = ${sql.ref(`${table}.${column}`)} + ${given}` : sql`${target} = ${given}`;
};
