/**
 * Copies tables by key and follows the log, in rounds. A round reads from one snapshot of the source: first it applies
 * the logged changes to the rows that the target has, as the snapshot shows them; then it copies further rows. So after
 * each round the target's rows are those of the snapshot, parents before those that refer to them, and a round may end
 * anywhere.
 */
import { type RawBuilder, sql } from "kysely";
import { appError } from "../../lib/errors.ts";
import { chunked } from "../../lib/chunked.ts";
import type { Row } from "../../platform/db/bulk.ts";
import type { Database } from "../../platform/db/database.ts";
import type { Db, Rows } from "../../platform/db/dialect.ts";
import type { TableName } from "../../platform/db/schema.ts";
import { countLogged, forgetLogged, loggedKeys } from "./move-log.ts";
import { setMarks } from "./mover.ts";
import {
  afterKey,
  amongKeys,
  placeholderFor,
  type Key,
  type MovedTable,
  PASSED_ON,
  rowKey,
  uniqueKeys,
} from "./move-tables.ts";

/** How far the copy of a table is. */
export type Progress = { after: Key | null; rows: number; isDone: boolean };

export type MoveCopy = {
  source: Database;
  target: Database;
  tables: readonly MovedTable[];
  progress: Map<TableName, Progress>;
  onProgress(table: string, rows: number): void;
  /** Ends before the next page. */
  signal: AbortSignal;
};

/** A snapshot that stays open long keeps the source from tidying. */
const ROUND_MS = 20_000;
const FIRST_ROWS = 200;
const MOST_ROWS = 5_000;
const PAGE_BYTES = 4_000_000;
const DELETED_AT_ONCE = 100;

export const notBegun = (): Progress => ({ after: null, rows: 0, isDone: false });

/** Returns whether all rows are copied. */
export async function copyRound(copying: MoveCopy, snapshot: Db): Promise<boolean> {
  const { tables, progress, signal } = copying;
  const until = performance.now() + ROUND_MS;
  for (const table of tables) {
    while (!progress.get(table.name)!.isDone) {
      if (performance.now() > until) return false;
      signal.throwIfAborted();
      await copyPages(copying, table, snapshot, until);
    }
  }
  return true;
}

async function copyPages(copying: MoveCopy, table: MovedTable, snapshot: Db, until: number): Promise<void> {
  const { source, target, progress, onProgress, signal } = copying;
  const { after, rows } = progress.get(table.name)!;
  const unique = uniqueKeys(table, target.dialect.name);
  // Rows after the place may be there by the log, and are as in this snapshot.
  const insert: typeof target.dialect.insertMany =
    after === null && rows === 0
      ? target.dialect.insertMany
      : (tx, name, page) => target.dialect.insertIgnore(tx, name, unique as never, page);
  const read = async (place: Key | null, limit: number): Promise<Row[]> => {
    const where = place === null ? sql`` : sql`where ${afterKey(source.dialect.name, table.keys, place)}`;
    const order = sql.join(table.keys.map((name) => sql.ref(name)));
    return select(snapshot, table, sql`${where} order by ${order} limit ${sql.lit(limit)}`);
  };
  let [copied, limit] = [rows, FIRST_ROWS];
  for (let page = await read(after, limit); ; ) {
    const isDone = page.length < limit;
    const place = page.length === 0 ? progress.get(table.name)!.after : rowKey(table, page.at(-1)!);
    copied += page.length;
    const state: Progress = { after: place, rows: copied, isDone };
    const rowsNow = page;
    const writing = target.transaction(
      async (tx) => {
        await insert(tx, table.name, rowsNow as unknown as Rows<TableName>);
        await setMarks(tx, { [`table ${table.name}`]: JSON.stringify(state) });
      },
      { long: true },
    );
    limit = nextLimit(page, limit);
    const mayGoOn = !isDone && performance.now() < until && !signal.aborted;
    [page] = await Promise.all([mayGoOn ? read(place, limit) : [], writing]);
    progress.set(table.name, state);
    onProgress(table.name, copied);
    if (!mayGoOn) return;
  }
}

function nextLimit(page: readonly Row[], limit: number): number {
  let bytes = 1;
  for (const row of page)
    for (const value of Object.values(row)) bytes += typeof value === "string" ? value.length : 8;
  const fitting = Math.floor((page.length * PAGE_BYTES) / bytes);
  return Math.max(1, Math.min(MOST_ROWS, limit * 4, fitting));
}

/** Returns the number of logged changes. With `isLast` it reads back what it wrote. */
export async function applyLog(
  { source, target, tables, progress }: MoveCopy,
  snapshot: Db,
  log: string,
  isLast = false,
): Promise<number> {
  const counts = await countLogged(snapshot, log);
  const logged = tables.filter(({ name }) => counts.has(name));
  // The copy of a table that has not begun will see its changes.
  const copied = logged.filter(
    ({ name }) => progress.get(name)!.isDone || progress.get(name)!.after !== null,
  );
  for (const table of copied) {
    const columns = PASSED_ON[table.name];
    if (columns === undefined) continue;
    const set = sql.join(columns.map((name) => sql`${sql.ref(name)} = ${placeholderFor(table.name, name)}`));
    for await (const { keys } of loggedKeys(snapshot, log, table.name))
      await perChunk(keys, (some) =>
        sql`update ${sql.table(table.name)} set ${set} where ${amongKeys(table.keys, some)}`.execute(
          target.slow,
        ),
      );
  }
  for (const table of copied) {
    for await (const { keys } of loggedKeys(snapshot, log, table.name)) {
      const rows = await rowsOf(source, snapshot, table, keys);
      const set = table.columns.filter((name) => !table.keys.includes(name));
      await target.transaction((tx) =>
        target.dialect.upsert(
          tx,
          { table: table.name, keys: uniqueKeys(table, target.dialect.name) as never, set: set as never },
          rows as never,
        ),
      );
    }
  }
  for (const table of copied.toReversed()) {
    for await (const { keys } of loggedKeys(snapshot, log, table.name)) {
      const rows = await rowsOf(source, snapshot, table, keys);
      const there = new Set(rows.map((row) => JSON.stringify(rowKey(table, row))));
      const gone = keys.filter((key) => !there.has(JSON.stringify(key)));
      await perChunk(gone, (some) =>
        sql`delete from ${sql.table(table.name)} where ${amongKeys(table.keys, some)}`.execute(target.slow),
      );
      if (isLast) refuseOther(table, rows, await rowsOf(target, target.slow, table, keys));
    }
  }
  for (const { name } of logged)
    for await (const { numbers } of loggedKeys(snapshot, log, name)) await forgetLogged(source, log, numbers);
  return [...counts.values()].reduce((sum, n) => sum + n, 0);
}

async function perChunk<T>(
  items: readonly T[],
  run: (some: readonly T[]) => Promise<unknown>,
): Promise<void> {
  for (const some of chunked(items, DELETED_AT_ONCE)) await run(some);
}

function refuseOther(table: MovedTable, expected: readonly Row[], found: readonly Row[]): void {
  const texts = (rows: readonly Row[]) =>
    rows
      .map((row) => JSON.stringify(table.columns.map((name) => row[name])))
      .toSorted()
      .join("\n");
  if (texts(expected) !== texts(found)) throw differs(table.name, "the last changes");
}

export const differs = (table: string, what: string) =>
  appError(
    "Conflict",
    `The table ${table} differs in the two databases: ${what}. Nothing was switched. ` +
      "End this move with --cancel, then move to an empty database.",
  );

async function rowsOf(database: Database, db: Db, table: MovedTable, keys: readonly Key[]): Promise<Row[]> {
  if (keys.length === 0) return [];
  const rows = keys.map((key) => Object.fromEntries(key.map((value, i) => [table.keys[i]!, value])));
  const values = database.dialect.valuesTable(table.name, table.keys as never, rows as never);
  const same = table.keys.map((name) => sql`${sql.ref(`v.${name}`)} = ${sql.ref(`t.${name}`)}`);
  return select(db, table, sql`inner join ${values} on ${sql.join(same, sql` and `)}`);
}

const select = async (db: Db, { name, columns }: MovedTable, rest: RawBuilder<unknown>): Promise<Row[]> => {
  const list = sql.join(columns.map((column) => sql.ref(`t.${column}`)));
  return (await sql<Row>`select ${list} from ${sql.table(name)} as t ${rest}`.execute(db)).rows;
};
