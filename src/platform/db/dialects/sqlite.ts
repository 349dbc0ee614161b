import { resolve } from "node:path";
import {
  type Kysely,
  type RawBuilder,
  sql,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { appError, messageOf } from "../../../lib/errors.ts";
import { programName } from "../../../lib/program-name.ts";
import { type BulkSyntax, createBulk } from "../bulk.ts";
import type { Db, Dialect } from "../dialect.ts";
import type { OpenBackend, SqlFlavour } from "../driver.ts";
import { type FailureKind, isRetryable } from "../failures.ts";
import type { SchemaSyntax } from "../schema-syntax.ts";
import { insertThenId, standardCreateIndex, standardSyntax } from "../standard-syntax.ts";
import { anyLike, likePatterns, SEARCHED_COLUMNS, writtenForms } from "../text-search.ts";
import { sqliteBulk } from "./sqlite-bulk.ts";
import { openSqlite, type SqliteSettings } from "./sqlite-connection.ts";
import { createFinder } from "./sqlite-finder.ts";
import { createGroupCommits, type GroupCommits } from "./sqlite-group.ts";
import { createLanes, type LaneConnection, type Lanes } from "./sqlite-lanes.ts";
import { GRAM, matchingGrams, sqliteNames } from "./sqlite-names.ts";
import { createReserve, type Reserve } from "./sqlite-reserve.ts";
import { openThread } from "./sqlite.thread.ts";

const TEXTS = SEARCHED_COLUMNS.map((column) => column.slice("links.".length));

const textsOf = (row: "new" | "old" | "links") =>
  sql.raw(TEXTS.map((column) => `coalesce(${row}.${column}, '')`).join(" || char(10) || "));

async function createLinkSearch(db: Kysely<unknown>): Promise<void> {
  await sql`
    create virtual table if not exists link_texts
    using fts5(texts, content='', columnsize=0, detail=none, tokenize='trigram')`.execute(db);
  // `indexed`: the link's texts in the index; null: none.
  await sql`
    create table if not exists link_texts_due (link_id integer primary key, indexed text)`.execute(db);
  const note = (row: "new" | "old", indexed: RawBuilder<unknown>) =>
    sql`insert into link_texts_due (link_id, indexed) values (${sql.raw(row)}.id, ${indexed}) on conflict do nothing;`;
  const changes = sql.raw(TEXTS.map((column) => `new.${column} is not old.${column}`).join(" or "));
  await sql`
    create trigger if not exists links_texts_added after insert on links
    begin ${note("new", sql`null`)} end`.execute(db);
  await sql`
    create trigger if not exists links_texts_removed after delete on links
    begin ${note("old", textsOf("old"))} end`.execute(db);
  await sql`
    create trigger if not exists links_texts_changed after update of ${sql.raw(TEXTS.join(", "))} on links
    when ${changes} begin ${note("old", textsOf("old"))} end`.execute(db);
}

const indexLinkTexts: NonNullable<Dialect["indexLinkTexts"]> = async (tx, most) => {
  const due = sql`(select link_id from link_texts_due order by link_id limit ${sql.lit(most)})`;
  await sql`
    insert into link_texts (link_texts, rowid, texts)
    select 'delete', link_id, indexed from link_texts_due where link_id in ${due} and indexed is not null`.execute(
    tx,
  );
  await sql`
    insert into link_texts (rowid, texts) select id, ${textsOf("links")} from links where id in ${due}`.execute(
    tx,
  );
  const done = await sql`delete from link_texts_due where link_id in ${due}`.execute(tx);
  return Number(done.numAffectedRows ?? 0);
};

const linkCandidates: Dialect["linkCandidates"] = (needle, most) => {
  const forms = writtenForms(needle);
  if (forms.some((form) => [...form].length < GRAM)) return null;
  return sql`
    (select id from (select rowid as id from link_texts where link_texts match ${matchingGrams(forms)}
    union all select link_id from link_texts_due) limit ${sql.lit(most)})`;
};

/** Kept off indexes by its form, so a query that `usesIndex` starts with the candidates. */
const linkContains: Dialect["linkContains"] = (needle, { usesIndex = false } = {}) => {
  const columns = SEARCHED_COLUMNS.map((column) => sql.ref(column));
  const candidates = usesIndex ? linkCandidates(needle, -1) : null;
  const among = candidates === null ? sql`` : sql`links.id in ${candidates} and `;
  return sql`(${among}${anyLike(columns, likePatterns(needle))})`;
};

/**
 * Finds links by a part of their texts in an index of trigrams without positions and contents, about 150 bytes a link.
 * Triggers only note the links that it lacks and those with other texts, with what it has of them; `indexLinkTexts`
 * does the rest later, so writes stay fast. Candidates include the noted links.
 */
const sqliteTexts = {
  schema: { createLinkSearch },
  dialect: { linkContains, linkCandidates, indexLinkTexts },
};

/** Another process may hold the write lock for an import's chunk. */
const WRITER: Omit<SqliteSettings, "path"> = {
  readonly: false,
  busyTimeoutMs: 30_000,
  cacheKib: 4_096,
  freesCacheAfterMs: 1_000,
};
/** A command has a process of its own. An import keeps pages of indexes, and writes them back every few portions. */
const COMMAND_WRITER: typeof WRITER = { ...WRITER, cacheKib: 65_536, checkpointPages: 8_000 };
const READER: Omit<SqliteSettings, "path"> = {
  readonly: true,
  busyTimeoutMs: 5_000,
  cacheKib: 2_048,
  freesCacheAfterMs: 1_000,
};
const READERS = 2;
/** Reads the file's first page; `select 1` would not. */
const PING = "pragma schema_version";

const words: BulkSyntax = {
  parameters: (_columns, rows) => [JSON.stringify(rows)],
  values: (columns, [json]) => {
    const list = sql.join(columns.map(({ name }, i) => sql`value ->> ${sql.lit(i)} as ${sql.ref(name)}`));
    return sql`(select ${list} from json_each(${json})) as v`;
  },
  ...standardSyntax,
};

// Without autoincrement the newest key is assigned again after its row's removal.
const SERIAL = "integer primary key autoincrement";
const COUNTERS = "without rowid";

const schema: SchemaSyntax = {
  serial: SERIAL,
  int: "integer",
  text: () => "text",
  longText: "text",
  quote: (identifier) => `"${identifier}"`,
  tableOptions: "",
  counterTableOptions: COUNTERS,
  partitionedSerial: () => [`id ${SERIAL}`],
  partitionedTable: (table, columns) => [
    `create table if not exists ${table} (${columns}) ${table === "click_log" ? "" : COUNTERS}`.trimEnd(),
  ],
  createIndex: standardCreateIndex,
  ...sqliteNames.schema,
  ...sqliteTexts.schema,
};

const bulk = createBulk(words);

const clearLog = async (db: Db): Promise<void> =>
  void (await sql`pragma wal_checkpoint(truncate)`.execute(db));

const dialect: Dialect = {
  withoutEndNumber: (column) => sql`rtrim(${sql.ref(column)}, '0123456789')`,
  name: "sqlite",
  ...bulk,
  ...sqliteBulk(bulk, words),
  ...sqliteNames.dialect,
  ...sqliteTexts.dialect,
  hasOneWriter: true,
  sharesScans: false,
  sortedUnions: "merged",
  refreshStatistics: async () => {},
  sum: (column) => sql`sum(${sql.ref(column)})`,
  joinMany: (db, ask) => ask(db),
  scanned: (column) => sql`+${sql.ref(column)}`,
  joinTexts: (column, separator = " ") =>
    sql`group_concat(${sql.ref(column)}, ${separator === " " ? sql`' '` : sql`char(10)`})`,
  insertReturningId: insertThenId,
  forUpdate: (query) => query,
  forShare: (query) => query,
  now: () => sql`${Date.now()}`,
  async shred(db) {
    await sql`vacuum`.execute(db);
    await clearLog(db);
  },
  clearLog,
  // In its own read transaction: writers continue.
  snapshot: async (db, path) => void (await sql`vacuum into ${path}`.execute(db)),
  findDamage: async (db) => {
    const { rows } = await sql<{ quick_check: string }>`pragma quick_check(1)`.execute(db);
    const lines = rows.flatMap((row) => row.quick_check.split("\n"));
    const damage = lines.find((line) => line !== "ok" && !line.startsWith("***"));
    return damage === undefined ? null : { damage, advice: damageAdvice() };
  },
  dumpAdvice: "",
  schema,
  classify,
};

function classify(error: unknown): FailureKind {
  const code = String((error as { code?: unknown } | null)?.code);
  if (/^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY|ROWID)$/.test(code)) return "unique";
  if (code === "SQLITE_CONSTRAINT_FOREIGNKEY") return "foreign_key";
  if (code === "SQLITE_BUSY_SNAPSHOT" || code === "SQLITE_LOCKED") return "retry";
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return "damaged";
  if (/^(SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT)$/.test(code)) return "full";
  if (/^SQLITE_(BUSY|CANTOPEN|IOERR|READONLY|PROTOCOL|NOLFS|PERM)/.test(code)) return "unavailable";
  // While creating the file's folder.
  if (/^(EROFS|EACCES|ENOTDIR|EPERM|EIO)$/.test(code)) return "unavailable";
  return "other";
}

/** Migrations run in one transaction. `begin immediate` is their lock. */
class Adapter extends SqliteAdapter {
  override get supportsTransactionalDdl() {
    return true;
  }
}

/**
 * SQLite prepares a join with bare parameters again for each value (15 of 16 µs), because a value might allow a partial
 * index. There is none. It does not look at the values of expressions.
 */
class Compiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return "+?";
  }
}

const flavour: SqlFlavour = {
  adapter: () => new Adapter(),
  compiler: () => new Compiler(),
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

/** Calls `done` after each statement, before its caller continues. */
const afterEach = (connection: LaneConnection, done: () => void): LaneConnection => ({
  ...connection,
  execute: (text, parameters, timeoutMs) => connection.execute(text, parameters, timeoutMs).finally(done),
});

const damageAdvice = (): string =>
  "Stop the server and keep a copy of the file with its -wal beside it. " +
  `Then restore a backup: ${programName()} restore DIR --replace. ` +
  "Without a backup, the command .recover of sqlite3 saves what can still be read.";

/** Creates the file before the first read, and names it on failure. */
async function touch(writer: Lanes, path: string, reserve: Reserve): Promise<void> {
  try {
    const connection = await writer.acquire(WRITER.busyTimeoutMs);
    const pong = connection.execute(PING, []);
    await pong.finally(() => writer.release(connection, false));
  } catch (error) {
    if (isRetryable(error) || reserve.relieves(error)) return touch(writer, path, reserve);
    void writer.close();
    const failure = classify(error);
    const reason = failure === "full" ? "the disk is full" : messageOf(error);
    const message =
      failure === "damaged"
        ? `The database file ${path} is damaged, or no SQLite database: ${reason}. ${damageAdvice()}`
        : `The database file ${path} can't be opened: ${reason}`;
    throw appError("ServiceUnavailable", message, { cause: error });
  }
}

export const openBackend: OpenBackend = async ({ location, threads, logger }) => {
  const path = resolve(location.path);
  const open = (settings: Omit<SqliteSettings, "path">) =>
    threads ? openThread({ ...settings, path }, logger) : onCallingThread({ ...settings, path });
  const finder = createFinder(path, classify, () => groups?.idle());
  const reserve = createReserve(path, (error) => classify(error) === "full");
  const writer = createLanes({
    count: 1,
    begin: "begin immediate",
    open: () => reserve.guard(afterEach(open(threads ? WRITER : COMMAND_WRITER), finder.refresh)),
  });
  const reader = createLanes({ count: READERS, begin: "begin", open: () => open(READER) });
  await touch(writer, path, reserve);
  if (threads) await reserve.make();
  const { hasRoom } = reserve;
  const groups: GroupCommits | null = threads
    ? createGroupCommits({ path, flavour, classify, writer, hasRoom, endReads: finder.refresh, logger })
    : null;
  return {
    dialect,
    flavour,
    pingSql: PING,
    writer,
    reader,
    findLink: finder.find,
    refreshLookups: finder.refresh,
    commits: finder.commits,
    ...(groups !== null && { runPrepared: finder.all, transactShort: groups.transact }),
    async close() {
      finder.close();
      // Last: the last connection merges the journal into the file.
      await groups?.close();
      await reader.close();
      await writer.close();
    },
  };
};
