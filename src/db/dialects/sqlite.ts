/** SQLite: one writer, two readers, in threads or not; and the connection of findLink on the calling thread. */
import { resolve } from "node:path";
import { CompiledQuery, sql, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from "kysely";
import { appError } from "../../lib/errors.ts";
import { type BulkWords, CHUNK_ROWS, createBulk, standardCreateIndex, standardWords } from "../bulk.ts";
import type { Dialect, SchemaWords } from "../dialect.ts";
import type { LinkRow, OpenBackend, SqlFlavour } from "../driver.ts";
import { type FailureKind, translateFailure } from "../failures.ts";
import { LIKE_ESCAPE, likePatterns } from "../text-search.ts";
import { openSqlite, type SqliteConnection, type SqliteSettings } from "./sqlite.connection.ts";
import { createLanes, type LaneConnection, type Lanes } from "./sqlite.lanes.ts";
import { openThread } from "./sqlite.threads.ts";

/** Another process (the CLI, the flush thread) may hold the write lock for the length of an import's chunk. */
const WRITER: Omit<SqliteSettings, "path"> = { readonly: false, busyTimeoutMs: 30_000, cacheKib: 8_192 };
const READER: Omit<SqliteSettings, "path"> = { readonly: true, busyTimeoutMs: 5_000, cacheKib: 4_096 };
/** Short waits, because it waits on the loop that answers redirects; readers wait for recovery only. */
const FINDER: Omit<SqliteSettings, "path"> = { readonly: true, busyTimeoutMs: 250, cacheKib: 2_048 };
const READERS = 2;
/** Reads the file's first page, which `select 1` would not. */
const PING = "pragma schema_version";

const FIND_LINK = "select id, code, target, expires_at from links where code = ?";

const words: BulkWords = {
  values: (columns, rows) => {
    const list = sql.join(columns.map(({ name }, i) => sql`value ->> ${sql.lit(i)} as ${sql.ref(name)}`));
    return sql`(select ${list} from json_each(${JSON.stringify(rows)})) as v`;
  },
  ...standardWords,
};

const schema: SchemaWords = {
  // Without autoincrement the key of the newest row, once deleted, would be given out again.
  serial: "integer primary key autoincrement",
  int: "integer",
  text: () => "text",
  longText: "text",
  quote: (identifier) => `"${identifier}"`,
  tableOptions: "",
  counterTableOptions: "without rowid",
  createIndex: standardCreateIndex,
  createSearchIndex: async () => {},
};

const dialect: Dialect = {
  name: "sqlite",
  ...createBulk(words),
  addToCounters: async (db, { table, key, column }, keys, deltas) => {
    const [name, by, counter] = [table, key, column].map(schema.quote);
    const text = `update ${name} set ${counter} = ${counter} + ? where ${by} = ?`;
    let found = 0;
    for (let at = 0; at < keys.length; at += CHUNK_ROWS) {
      const rows = keys.slice(at, at + CHUNK_ROWS).map((value, i) => [deltas[at + i], value]);
      const { numAffectedRows } = await db.executeQuery(CompiledQuery.raw(text, rows));
      found += Number(numAffectedRows);
    }
    return found;
  },
  containsText: (columns, needle) => {
    const tests = likePatterns(needle).flatMap((pattern) =>
      columns.map((column) => sql`${column} like ${pattern} escape ${sql.lit(LIKE_ESCAPE)}`),
    );
    return sql`(${sql.join(tests, sql` or `)})`;
  },
  insertReturningId: async (db, table, row) => {
    const { insertId } = await db
      .insertInto(table)
      .values(row as never)
      .executeTakeFirstOrThrow();
    return Number(insertId);
  },
  forUpdate: (query) => query,
  currentTime: async () => Date.now(),
  // A read transaction of its own: the copy is of one moment, and writers go on.
  snapshot: async (db, path) => void (await sql`vacuum into ${path}`.execute(db)),
  dumpAdvice: "",
  schema,
  classify,
};

function classify(error: unknown): FailureKind {
  const code = String((error as { code?: unknown } | null)?.code);
  if (/^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY|ROWID)$/.test(code)) return "unique";
  if (code === "SQLITE_CONSTRAINT_FOREIGNKEY") return "foreign_key";
  if (code === "SQLITE_BUSY_SNAPSHOT" || code === "SQLITE_LOCKED") return "retry";
  if (/^SQLITE_(BUSY|CANTOPEN|IOERR|FULL|READONLY|CORRUPT|NOTADB|PROTOCOL|NOLFS|PERM)/.test(code))
    return "unavailable";
  // Creating the file's folder.
  if (/^(ENOSPC|EROFS|EACCES|ENOTDIR|EPERM|EIO)$/.test(code)) return "unavailable";
  return "other";
}

/** Migrations run in one transaction, and `begin immediate` is their lock. */
class Adapter extends SqliteAdapter {
  override get supportsTransactionalDdl() {
    return true;
  }
}

const flavour: SqlFlavour = {
  adapter: () => new Adapter(),
  compiler: () => new SqliteQueryCompiler(),
  introspector: (db) => new SqliteIntrospector(db),
};

const onCallingThread = (settings: SqliteSettings): LaneConnection => {
  const connection = openSqlite(settings);
  let alive = true;
  return {
    execute: (text, parameters) => connection.execute(text, parameters),
    alive: () => alive,
    close: async () => {
      if (alive) connection.close();
      alive = false;
    },
  };
};

/** The hot read of redirects: 2 µs, prepared once, opened when first wanted. */
function createFinder(path: string) {
  let connection: SqliteConnection | undefined;
  let closed = false;
  return {
    find(code: string): LinkRow | undefined {
      try {
        if (closed) throw Object.assign(new Error("the database was closed"), { code: "SQLITE_CANTOPEN" });
        connection ??= openSqlite({ ...FINDER, path });
        return connection.executeSync(FIND_LINK, [code]).rows[0] as LinkRow | undefined;
      } catch (error) {
        throw translateFailure(classify, error);
      }
    },
    close() {
      closed = true;
      connection?.close();
      connection = undefined;
    },
  };
}

/** Creates the file before anybody reads it, and says which file when it can't. */
async function touch(writer: Lanes, path: string): Promise<void> {
  try {
    const connection = await writer.acquire(WRITER.busyTimeoutMs);
    await connection.execute(PING, []);
    writer.release(connection, false);
  } catch (error) {
    void writer.close();
    const reason = error instanceof Error ? error.message : String(error);
    throw appError("ServiceUnavailable", `The database file ${path} can't be opened: ${reason}`, {
      cause: error,
    });
  }
}

export const openBackend: OpenBackend = async ({ location, threads, logger }) => {
  const path = resolve(location.path);
  const open = (settings: Omit<SqliteSettings, "path">) =>
    threads ? openThread({ ...settings, path }, logger) : onCallingThread({ ...settings, path });
  const writer = createLanes({ count: 1, begin: "begin immediate", open: () => open(WRITER) });
  const reader = createLanes({ count: READERS, begin: "begin", open: () => open(READER) });
  const finder = createFinder(path);
  await touch(writer, path);
  return {
    dialect,
    flavour,
    pingSql: PING,
    writer,
    reader,
    findLink: finder.find,
    async close() {
      finder.close();
      // The writer goes last: the last connection folds the journal into the file.
      await reader.close();
      await writer.close();
    },
  };
};
