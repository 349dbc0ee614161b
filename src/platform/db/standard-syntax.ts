import { type InsertQueryBuilder, sql } from "kysely";
import type { Db, Dialect } from "./dialect.ts";
import { oncePer, preparedWrite } from "./prepared.ts";
import type { Schema, SerialTable } from "./schema.ts";
import type { SchemaSyntax } from "./schema-syntax.ts";
import { type BulkSyntax, assign } from "./bulk.ts";

type Insert = InsertQueryBuilder<Schema, SerialTable, { id: number }>;

/** The syntax of the two databases that write `on conflict` and `update … from`. */
export const standardSyntax: Pick<BulkSyntax, "onConflict" | "update"> = {
  onConflict: (table, keys, assignments) => {
    const target = sql.join(keys.map((key) => sql.ref(key)));
    if (assignments.length === 0) return sql`on conflict (${target}) do nothing`;
    const list = sql.join(assignments.map((assignment) => assign(table, assignment, "excluded", false)));
    return sql`on conflict (${target}) do update set ${list}`;
  },
  update: (table, key, assignments, values) => {
    const list = sql.join(assignments.map((assignment) => assign(table, assignment, "v", false)));
    return sql`update ${sql.table(table)} set ${list} from ${values} where ${sql.ref(`${table}.${key}`)} = ${sql.ref(`v.${key}`)}`;
  },
};

export const standardCreateIndex: SchemaSyntax["createIndex"] = async (db, { name, table, columns }) => {
  await sql`create index if not exists ${sql.ref(name)} on ${sql.table(table)} (${sql.raw(columns)})`.execute(
    db,
  );
};

/** Inserts of one row, with the columns that it has. @param finish adds what follows the values */
export function preparedInsert(finish: (insert: Insert) => Insert = (insert) => insert) {
  const insertInto = oncePer(
    ([table, columns]: [table: SerialTable, columns: readonly string[]]) =>
      preparedWrite((db, ...values) => {
        const row = Object.fromEntries(columns.map((name, at) => [name, values[at]]));
        return finish(db.insertInto(table).values(row as never) as unknown as Insert);
      }),
    ([table, columns]) => `${table} ${columns.join(" ")}`,
  );
  return (db: Db, table: SerialTable, row: object) => {
    const given = Object.entries(row).filter(([, value]) => value !== undefined);
    const insert = insertInto([table, given.map(([name]) => name)]);
    return insert(db, ...given.map(([, value]) => value as string | number | null));
  };
}

const insertRow = preparedInsert();

/** Serves drivers that return the new id. */
export const insertThenId: Dialect["insertReturningId"] = async (db, table, row) =>
  Number((await insertRow(db, table, row)).insertId);
