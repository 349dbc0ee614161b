import { sql } from "kysely";
import type { Dialect } from "./dialect.ts";
import { oncePer, preparedWrite } from "./prepared.ts";
import type { SerialTable } from "./schema.ts";
import type { SchemaSyntax } from "./schema-syntax.ts";
import { type BulkSyntax, assign } from "./bulk.ts";

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

const insertInto = oncePer(
  ([table, columns]: [table: SerialTable, columns: readonly string[]]) =>
    preparedWrite((db, ...values) =>
      db.insertInto(table).values(Object.fromEntries(columns.map((name, at) => [name, values[at]])) as never),
    ),
  ([table, columns]) => `${table} ${columns.join(" ")}`,
);

/** Serves drivers that return the new id. */
export const insertThenId: Dialect["insertReturningId"] = async (db, table, row) => {
  const given = Object.entries(row).filter(([, value]) => value !== undefined);
  const insert = insertInto([table, given.map(([name]) => name)]);
  const { insertId } = await insert(db, ...given.map(([, value]) => value as string | number | null));
  return Number(insertId);
};
