/**
 * The dialects' bulk statements. Rows of a chunk travel as few parameters (JSON text, arrays), so each SQL text serves
 * any number of rows, and is built and prepared once.
 */
import { CompiledQuery, type Kysely, type RawBuilder, sql } from "kysely";
import type { Db, Dialect } from "./dialect.ts";
import type { ColumnKind } from "./column-kind.ts";
import { TABLES, type TableName } from "./schema.ts";

export type BulkColumn = { name: string; kind: ColumnKind };

export type Row = Readonly<Record<string, unknown>>;

export type BulkSyntax = {
  /** The rows as parameters of `values`. */
  parameters(columns: readonly BulkColumn[], rows: readonly (readonly unknown[])[]): unknown[];
  /** A table expression with alias `v`, which has the parameters once each, in their order. */
  values(columns: readonly BulkColumn[], parameters: readonly unknown[]): RawBuilder<unknown>;
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
  const texts = new Map<string, string>();
  const columnsOf = (table: TableName, names: readonly string[]): BulkColumn[] =>
    names.map((name) => ({ name, kind: kindOf(table, name) }));
  const parametersOf = (columns: readonly BulkColumn[], rows: readonly Row[]) =>
    words.parameters(
      columns,
      rows.map((row) => columns.map(({ name }) => row[name] ?? null)),
    );

  /** Runs a statement whose only parameters are the rows. Returns the number of changed rows. */
  async function run(
    db: unknown,
    statement: {
      key: string;
      columns: readonly BulkColumn[];
      build(values: RawBuilder<unknown>): RawBuilder<unknown>;
    },
    rows: readonly Row[],
  ): Promise<number> {
    const { key, columns, build } = statement;
    let changed = 0;
    for (const chunk of portionsOf(rows)) {
      const parameters = parametersOf(columns, chunk);
      let text = texts.get(key);
      if (text === undefined) {
        text = build(words.values(columns, parameters)).compile(db as Kysely<unknown>).sql;
        texts.set(key, text);
      }
      const { numAffectedRows } = await (db as Db).executeQuery(CompiledQuery.raw(text, parameters));
      changed += Number(numAffectedRows ?? 0);
    }
    return changed;
  }

  const insert = async (
    db: unknown,
    table: TableName,
    rows: readonly Row[],
    { name, build }: { name: string; build(): RawBuilder<unknown> },
  ) => {
    if (rows.length === 0) return;
    const names = Object.keys(rows[0]!);
    const statement = {
      key: `insert ${table} ${names} ${name}`,
      columns: columnsOf(table, names),
      build: (values: RawBuilder<unknown>) => {
        const into = sql.join(names.map((column) => sql.ref(column)));
        const from = sql.join(names.map((column) => sql.ref(`v.${column}`)));
        return sql`insert into ${sql.table(table)} (${into}) select ${from} from ${values} where true ${build()}`;
      },
    };
    await run(db, statement, rows);
  };

  const update = (
    db: unknown,
    table: TableName,
    key: string,
    { set = [], add = [] }: { set?: readonly string[]; add?: readonly string[] },
    rows: readonly Row[],
  ): Promise<number> => {
    const statement = {
      key: `update ${table} ${key} ${set} + ${add}`,
      columns: columnsOf(table, [key, ...set, ...add]),
      build: (values: RawBuilder<unknown>) => words.update(table, key, assignmentsOf(set, add), values),
    };
    return run(db, statement, rows);
  };

  return {
    insertMany: (db, table, rows) =>
      insert(db, table, rows as readonly Row[], { name: "", build: () => sql`` }),
    insertIgnore: (db, table, keys, rows) =>
      insert(db, table, rows as readonly Row[], {
        name: `ignore ${keys}`,
        build: () => words.onConflict(table, keys, []),
      }),
    upsert: (db, { table, keys, set = [], add = [] }, rows) =>
      insert(db, table, rows as readonly Row[], {
        name: `upsert ${keys}: ${set} + ${add}`,
        build: () => words.onConflict(table, keys, assignmentsOf(set, add)),
      }),
    updateMany: async (db, { table, key, ...assigned }, rows) =>
      void (await update(db, table, key, assigned, rows as readonly Row[])),
    addToCounters: (db, { table, key, column }, keys, deltas) => {
      const rows = keys.map((value, i) => ({ [key]: value, [column]: deltas[i]! }));
      // A common order of all writers makes deadlocks rare.
      rows.sort((a, b) => a[key]! - b[key]!);
      return update(db, table, key, { add: [column] }, rows);
    },
    valuesTable: (table, columns, rows) => {
      if (rows.length > CHUNK_ROWS) throw new Error(`At most ${CHUNK_ROWS} rows fit into a table of values.`);
      const typed = columnsOf(table, columns);
      const values = words.values(typed, parametersOf(typed, rows as readonly Row[]));
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
