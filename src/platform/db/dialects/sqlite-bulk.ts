/** Bulk statements whose rows are bare parameters, for half the cost of one statement over a JSON text. */
import type { RawBuilder } from "kysely";
import { assignmentsOf, type Bulk, type BulkSyntax, CHUNK_ROWS, type Row } from "../bulk.ts";
import type { Db } from "../dialect.ts";
import { executeText, oncePer } from "../prepared.ts";

export function sqliteBulk({ insertMany }: Bulk, { onConflict }: BulkSyntax): Omit<Bulk, "valuesTable"> {
  return {
    addToCounters: (db, { table, key, column }, keys, deltas) =>
      updateRows(db, { table, key, add: [column] }, keys, (into, from, value, at) => {
        into[from] = value;
        into[from + 1] = deltas[at];
      }),
    updateMany: async (db, update, rows) => {
      const columns = [update.key, ...(update.set ?? []), ...(update.add ?? [])];
      await updateRows(db, update, rows as readonly Row[], rowSetter(columns));
    },
    // One statement for all rows, so a refused row leaves none.
    insertMany: (db, table, rows) =>
      db.isTransaction ? insertRows(db, table, rows as readonly Row[], null) : insertMany(db, table, rows),
    insertIgnore: (db, table, keys, rows) =>
      insertRows(db, table, rows as readonly Row[], {
        name: `ignore ${keys.join(" ")}`,
        build: () => onConflict(table, keys, []),
      }),
    upsert: (db, { table, keys, set = [], add = [] }, rows) =>
      insertRows(db, table, rows as readonly Row[], {
        name: `upsert ${keys.join(" ")}: ${set.join(" ")} + ${add.join(" ")}`,
        build: () => onConflict(table, keys, assignmentsOf(set, add)),
      }),
  };
}

type Shape = { table: string; columns: readonly string[]; ending: Ending };
/** What follows the values of an insert, by a name that is its own. */
type Ending = { name: string; build(): RawBuilder<unknown> } | null;

const insertInto = oncePer(
  ({ db, table, columns, ending }: Shape & { db: Db }): Statement<Row> => {
    const end = ending?.build().compile(db).sql ?? "";
    const names = columns.map(quote).join(", ");
    const row = `(${repeated("?", columns.length)})`;
    const textFor = (rows: number) =>
      `insert into ${quote(table)} (${names}) values ${repeated(row, rows)} ${end}`;
    return { ...texts(textFor), width: columns.length, set: rowSetter(columns) };
  },
  ({ table, columns, ending }) => `${table} ${columns.join(" ")}: ${ending?.name ?? ""}`,
);

async function insertRows(db: Db, table: string, rows: readonly Row[], ending: Ending): Promise<void> {
  if (rows.length === 0) return;
  await runForEach(db, insertInto({ db, table, columns: Object.keys(rows[0]!), ending }), rows);
}

type Update = { table: string; key: string; set?: readonly string[]; add?: readonly string[] };

const updateTexts = oncePer(
  ({ table, key, set = [], add = [] }: Update) => {
    const name = quote(table);
    const assignments = assignmentsOf(set, add).map(({ column, add: isAdded }, at) => {
      const quoted = quote(column);
      return `${quoted} = ${isAdded ? `${name}.${quoted} + ` : ""}v.column${at + 2}`;
    });
    const width = 1 + assignments.length;
    const row = `(${repeated("?", width)})`;
    const textFor = (rows: number) =>
      `update ${name} set ${assignments.join(", ")} from (values ${repeated(row, rows)}) as v where ${name}.${quote(key)} = v.column1`;
    return { ...texts(textFor), width };
  },
  ({ table, key, set = [], add = [] }) => `${table} ${key} ${set.join(" ")} + ${add.join(" ")}`,
);

const updateRows = <T>(
  db: Db,
  update: Update,
  items: readonly T[],
  set: Statement<T>["set"],
): Promise<number> => runForEach(db, { ...updateTexts(update), set }, items);

const rowSetter =
  (columns: readonly string[]): Statement<Row>["set"] =>
  (into, from, row) => {
    for (let at = 0; at < columns.length; at++) into[from + at] = row[columns[at]!] ?? null;
  };

/** Fewer cost more per row, more gain nothing. */
const GROUP_ROWS = 100;

/** `set` writes the `width` parameters of a row into a list. */
type Statement<T> = {
  /** For one row, and for GROUP_ROWS. */
  single: string;
  group: string;
  width: number;
  set(into: unknown[], from: number, item: T, at: number): void;
};

/**
 * Runs a statement per hundred items and single-row statements for the rest, so that few shapes are prepared. Returns the
 * number of changed rows.
 */
async function runForEach<T>(db: Db, statement: Statement<T>, items: readonly T[]): Promise<number> {
  const { single, group, width, set } = statement;
  const inGroups = items.length - (items.length % GROUP_ROWS);
  let changed = 0;
  const run = async (from: number, to: number, rows: number): Promise<void> => {
    if (from === to) return;
    const text = rows === 1 ? single : group;
    // Reused: new lists would be garbage by the hundred thousand.
    const lists = Array.from({ length: Math.min(CHUNK_ROWS, to - from) / rows }, () =>
      Array.from<unknown>({ length: rows * width }).fill(null),
    );
    for (let first = from; first < to; first += CHUNK_ROWS) {
      const count = Math.min(CHUNK_ROWS, to - first);
      for (let at = 0; at < count; at++) {
        set(lists[Math.floor(at / rows)]!, (at % rows) * width, items[first + at]!, first + at);
      }
      const used = count === lists.length * rows ? lists : lists.slice(0, count / rows);
      const { numAffectedRows } = await executeText(db, text, used);
      changed += Number(numAffectedRows);
    }
  };
  await run(0, inGroups, GROUP_ROWS);
  await run(inGroups, items.length, 1);
  return changed;
}

const texts = (textFor: (rows: number) => string) => ({
  single: textFor(1),
  group: textFor(GROUP_ROWS),
});

const repeated = (text: string, times: number): string =>
  Array.from({ length: times }, () => text).join(", ");

const quote = (identifier: string): string => `"${identifier}"`;
