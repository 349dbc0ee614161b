import { Database as Bun } from "bun:sqlite";
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type { SqlConnection, StatementResult } from "../driver.ts";

export type SqliteSettings = {
  /** Absolute. */
  path: string;
  readonly: boolean;
  /** Waiting for another connection's lock blocks the thread. */
  busyTimeoutMs: number;
  /** Page cache; the system caches the file anyway. */
  cacheKib: number;
  /** Frees the page cache after this time without a statement. Default: never. */
  freesCacheAfterMs?: number;
  /** A commit does not wait for the disk, and never moves the journal into the database. Default: false. */
  leavesJournal?: boolean;
  /** Pages of the journal at which a commit moves it into the database. Default: 1,000. */
  checkpointPages?: number;
};

export type SqliteConnection = SqlConnection & {
  executeSync(sql: string, parameters: readonly unknown[]): StatementResult;
  /** The first row of a query, without the lists that executeSync makes. */
  firstSync(sql: string, ...parameters: (string | number)[]): unknown;
  close(): void;
};

/** A repository has a few dozen statements; lists of values have a few shapes each. */
const STATEMENTS_KEPT = 64;
const WAL_KEPT_BYTES = 64 * 1024 * 1024;

type Parameter = string | number | null;
type Statement = ReturnType<Bun["prepare"]>;
/** Asking a statement for its columns costs as much as a small query. */
type Prepared = { statement: Statement; returnsRows: boolean };

/** A writer creates file and folder, for their owner only. */
export function openSqlite(settings: SqliteSettings): SqliteConnection {
  if (!settings.readonly) createFile(settings.path);
  const database = new Bun(settings.path, settings.readonly ? { readonly: true } : { readwrite: true });
  const statements = new Map<string, Prepared>();

  const prepare = (sql: string): Prepared => {
    const kept = statements.get(sql);
    if (kept !== undefined) {
      statements.delete(sql);
      statements.set(sql, kept);
      return kept;
    }
    const statement = database.prepare(sql);
    const made = { statement, returnsRows: statement.columnNames.length > 0 };
    statements.set(sql, made);
    if (statements.size > STATEMENTS_KEPT) {
      const [oldest, unused] = statements.entries().next().value!;
      statements.delete(oldest);
      unused.statement.finalize();
    }
    return made;
  };

  const { freesCacheAfterMs } = settings;
  let isUsed = false;
  let idle: ReturnType<typeof setTimeout> | undefined;

  function freeCacheLater(afterMs: number): void {
    isUsed = false;
    idle = setTimeout(() => {
      if (isUsed) return freeCacheLater(afterMs);
      idle = undefined;
      database.run("pragma shrink_memory");
    }, afterMs).unref();
  }

  const executeSync = (sql: string, parameters: readonly unknown[]): StatementResult => {
    isUsed = true;
    if (idle === undefined && freesCacheAfterMs !== undefined) freeCacheLater(freesCacheAfterMs);
    const { statement, returnsRows } = prepare(sql);
    if (Array.isArray(parameters[0])) {
      let affected = 0;
      for (const list of parameters as Parameter[][]) affected += runWith(statement, list).changes;
      return { rows: [], affected };
    }
    if (returnsRows) return { rows: statement.all(...(parameters as Parameter[])) };
    const { changes, lastInsertRowid } = statement.run(...(parameters as Parameter[]));
    return { rows: [], affected: changes, insertId: Number(lastInsertRowid) };
  };

  const firstSync = (sql: string, ...parameters: (string | number)[]): unknown =>
    prepare(sql).statement.get(...parameters) ?? undefined;

  const close = () => {
    clearTimeout(idle);
    for (const { statement } of statements.values()) statement.finalize();
    statements.clear();
    database.close();
  };

  try {
    configure(settings, (sql) => database.run(sql));
  } catch (error) {
    database.close();
    throw error;
  }
  return { executeSync, firstSync, execute: async (sql, parameters) => executeSync(sql, parameters), close };
}

/** Does not copy the list. */
const runWith = (statement: Statement, list: Parameter[]) => statement.run(list as never);

function configure(settings: SqliteSettings, run: (sql: string) => void): void {
  run(`pragma busy_timeout = ${settings.busyTimeoutMs}`);
  run(`pragma cache_size = -${settings.cacheKib}`);
  if (settings.readonly) return;
  run("pragma journal_mode = wal");
  run(`pragma synchronous = ${settings.leavesJournal ? "normal" : "full"}`);
  if (settings.leavesJournal) run("pragma wal_autocheckpoint = 0");
  if (settings.checkpointPages !== undefined) run(`pragma wal_autocheckpoint = ${settings.checkpointPages}`);
  run("pragma foreign_keys = on");
  run(`pragma journal_size_limit = ${WAL_KEPT_BYTES}`);
}

/**
 * SQLite would use the umask. Its journal files inherit this mode. A file that is there stays closed: closing it would
 * end the locks of all connections of this process, and another program could remove the journal from under them.
 */
function createFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (!existsSync(path)) closeSync(openSync(path, "a", 0o600));
}
