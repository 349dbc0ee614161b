/**
 * Moves everything to an empty database while servers use the source: opens the log in the source, copies and follows
 * it in rounds (move-copy.ts), compares all tables in one snapshot, then switches (mover.ts). Marks in both databases
 * say what is done, so it continues after any end.
 */
import { appError } from "../../lib/errors.ts";
import { fault } from "../../lib/fault.ts";
import { silentLogger } from "../../lib/logger.ts";
import type { Database } from "../../platform/db/database.ts";
import { serverMessage } from "../../platform/db/failures.ts";
import { migrateUp, migrationStatus } from "../../platform/db/migrate.ts";
import { applyLog, copyRound, type MoveCopy, notBegun, type Progress, differs } from "./move-copy.ts";
import { openLog, refuseWithoutTriggers, removeLog } from "./move-log.ts";
import { becomeMover, createMarks, type Mover, setMarks } from "./mover.ts";
import {
  dropMarks,
  LOG,
  type Marks,
  movedTo,
  readMarks,
  tablesOf,
  currentSchema,
} from "../../platform/db/move-switch.ts";
import { inSnapshot, MOVED, type MovedTable, movedTables } from "./move-tables.ts";
import { sql } from "kysely";
import type { Db } from "../../platform/db/dialect.ts";
import { TABLES } from "../../platform/db/schema.ts";

export type MoveSettings = {
  source: Database;
  target: Database;
  /** The target's URL, which the source keeps. */
  sealedUrl: string;
  /** Ends after the comparison. */
  copyOnly: boolean;
  now(): number;
  signal: AbortSignal;
  onProgress(step: "copy" | "compare" | "follow", what: string): void;
};

export type Moved = {
  rows: number;
  /** How long the source refused changes before its servers could follow; null for `copyOnly`. */
  closedMs: number | null;
};

/** Changes in one round that the last one can apply while writers wait. */
const FEW = 2_000;
const QUICK_MS = 1_000;
const MOST_ROUNDS = 500;
/** Rows that migrations make. */
const MADE = ["instance", "link_totals", "click_zones", "reuse_turns"] as const;

/**
 * Continues what an earlier call began. @throws Conflict if either database belongs to another move, or data is lost
 */
export async function moveDatabase(settings: MoveSettings): Promise<Moved> {
  const { source } = settings;
  await refuseImpossible(settings);
  await createMarks(source);
  const mover = await becomeMover(source);
  try {
    return await move({ ...settings, signal: AbortSignal.any([settings.signal, mover.signal]) }, mover);
  } finally {
    await mover.leave();
  }
}

async function move(settings: MoveSettings, mover: Mover): Promise<Moved> {
  const { source, target, sealedUrl, now } = settings;
  const tables = await movedTables(source);
  await begin(settings, tables);
  const copying = { ...(await resume(settings, tables)), beat: mover.beat };
  const rows = await catchUp(copying, settings);
  if (settings.copyOnly) return { rows, closedMs: null };
  const closedAt = performance.now();
  try {
    const log = await mover.close(now());
    fault("move.closed");
    await refuseOtherSchema(source, target);
    await inSnapshot(source, (snapshot) => applyLog(copying, snapshot, log, true));
    await continueSequences(source, target, tables);
    fault("move.brought");
    await mover.finish({ moved_to: sealedUrl, moved_at: String(now()) });
    fault("move.switched");
  } catch (error) {
    await mover.leave();
    // Opens the source, unless only the response to the last step was lost.
    if ((await movedTo(source).catch(() => null)) === null) throw error;
  }
  const closedMs = Math.round(performance.now() - closedAt);
  // Else the first one who follows does it.
  await dropMarks(target).catch(() => {});
  return { rows, closedMs };
}

/** Forgets an unfinished move. The target keeps what was copied. */
export async function cancelMove(source: Database): Promise<void> {
  const marks = await readMarks(source);
  if (!marks?.has("to")) throw appError("Conflict", "No move of this database is under way.");
  const mover = await becomeMover(source);
  try {
    if ((await movedTo(source)) !== null) throw moved(marks);
    // The copy is of no move from now on, as changes are not noted.
    await source.transaction((tx) => setMarks(tx, { id: crypto.randomUUID(), log: "ends" }));
    await removeLog(source, await movedTables(source));
  } finally {
    await mover.leave();
  }
  await dropMarks(source);
}

const moved = (marks: Marks) =>
  appError("Conflict", `This database has moved to ${marks.get("to")}; set database.url to it.`);

/** What can be said before anything is changed. */
async function refuseImpossible({ source, target }: MoveSettings): Promise<void> {
  if (source.name === target.name)
    throw appError("Conflict", `${target.name} is the database in use; name another one.`);
  const marks = (await readMarks(source)) ?? new Map<string, string>();
  if ((await movedTo(source)) !== null) throw moved(marks);
  if (marks.has("to") && marks.get("to") !== target.name)
    throw appError(
      "Conflict",
      `A move to ${marks.get("to")} is under way. Continue with that address, or end it with --cancel.`,
    );
  const copy = (await readMarks(target))?.get("id");
  if (copy === undefined) await refuseFull(target);
  else if (copy !== marks.get("id"))
    throw appError("Conflict", `${target.name} belongs to another move; give an empty database.`);
  await refuseWithoutTriggers(source);
}

/** Prepares both databases. */
async function begin({ source, target }: MoveSettings, tables: readonly MovedTable[]): Promise<void> {
  const marks = await readMarks(source);
  const id = marks?.get("id") ?? crypto.randomUUID();
  if (!marks?.has("id")) await source.transaction((tx) => setMarks(tx, { id, to: target.name }));
  await createMarks(target);
  await migrateUp(target, { logger: silentLogger });
  await refuseOtherSchema(source, target);
  if (!(await readMarks(target))?.has("id"))
    await target.transaction(async (tx) => {
      for (const name of MADE) await tx.deleteFrom(name).execute();
      await setMarks(tx, { id });
    });
  if (marks?.get("log") === "open") return;
  await openLog(source, tables).catch((error: unknown) => {
    throw /denied|privilege|owner/i.test(serverMessage(error))
      ? appError(
          "BadRequest",
          `The account of ${source.name} must be allowed to create triggers: ${serverMessage(error)}`,
        )
      : error;
  });
  await source.transaction((tx) => setMarks(tx, { log: "open" }));
}

async function resume(settings: MoveSettings, tables: readonly MovedTable[]): Promise<MoveCopy> {
  const marks = await readMarks(settings.target);
  const read = (name: string): Progress => JSON.parse(marks?.get(`table ${name}`) ?? "null") ?? notBegun();
  return {
    ...settings,
    tables,
    progress: new Map(tables.map(({ name }) => [name, read(name)])),
    onProgress: (table, rows) => settings.onProgress("copy", `${table}: ${rows} rows`),
  };
}

/** Until the target has almost everything, compared. Returns the number of rows. */
async function catchUp(copying: MoveCopy & Pick<Mover, "beat">, settings: MoveSettings): Promise<number> {
  const { source, target, tables, beat } = copying;
  const { signal, onProgress } = settings;
  for (let isCopied = false; !isCopied; await beat())
    isCopied = await inSnapshot(source, async (snapshot) => {
      await applyLog(copying, snapshot, LOG);
      return copyRound(copying, snapshot);
    });
  await target.dialect.refreshStatistics(target.slow, MOVED);
  await follow();
  const rows = await inSnapshot(source, async (snapshot) => {
    await applyLog(copying, snapshot, LOG);
    return compareTables(snapshot, target, tables, (table) => onProgress("compare", table));
  });
  await follow();
  return rows;

  async function follow(): Promise<void> {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      signal.throwIfAborted();
      await beat();
      const begun = performance.now();
      const changes = await inSnapshot(source, (snapshot) => applyLog(copying, snapshot, LOG));
      onProgress("follow", `${changes} changes`);
      if (changes <= FEW && performance.now() - begun <= QUICK_MS) return;
    }
    throw appError(
      "ServiceUnavailable",
      "The database changes faster than the move can follow. Run the command again at a quieter time; it continues.",
    );
  }
}

/** @throws Conflict if the database has tables that are not empty ones of this program */
async function refuseFull(target: Database): Promise<void> {
  const full = appError("Conflict", `${target.name} is not empty; give an empty database.`);
  const found = new Set(await tablesOf(target));
  const own = MOVED.filter((name) => found.has(name));
  if (own.length > 0 && !found.has("kysely_migration")) throw full;
  for (const name of own) {
    if (name !== "link_totals" && MADE.some((made) => made === name)) continue;
    const row: Record<string, unknown> | undefined = await target.read
      .selectFrom(name)
      .selectAll()
      .limit(1)
      .executeTakeFirst();
    if (row !== undefined && (name !== "link_totals" || row["links"] !== 0 || row["clicks"] !== 0))
      throw full;
  }
}

async function refuseOtherSchema(source: Database, target: Database): Promise<void> {
  const steps = async (database: Database) =>
    (await migrationStatus(database)).map(({ name, executedAt }) => `${name} ${executedAt === null}`).join();
  if ((await steps(source)) === (await steps(target))) return;
  throw appError(
    "Conflict",
    "The schema of the database has changed since the move began. End the move with --cancel, run 'migrate up', " +
      "then move to an empty database.",
  );
}

/** Keeps the sums of billions of rows below 2^53. */
const MODULUS = 99_991;

/** The number of rows and a sum of each column: of numbers by a modulus, of the bytes of texts. */
async function sumsOf(db: Db, { name, columns }: MovedTable): Promise<Record<string, number>> {
  const kinds = TABLES[name] as Record<string, string>;
  const sums = columns.flatMap((column, i) => {
    const value = sql.ref(column);
    const part = kinds[column]!.startsWith("text")
      ? sql`octet_length(${value})`
      : sql`${value} % ${sql.lit(MODULUS)}`;
    return [
      sql`coalesce(sum(${part}), 0) as ${sql.ref(`s${i}`)}`,
      sql`count(${value}) as ${sql.ref(`c${i}`)}`,
    ];
  });
  const { rows } = await sql<Record<string, unknown>>`
    select count(*) as n, ${sql.join(sums)} from ${sql.table(name)}`.execute(db);
  return Object.fromEntries(Object.entries(rows[0]!).map(([key, value]) => [key, Number(value)]));
}

/** Returns the number of rows. @throws Conflict naming the table that differs */
async function compareTables(
  snapshot: Db,
  target: Database,
  tables: readonly MovedTable[],
  onProgress: (table: string) => void,
): Promise<number> {
  let rows = 0;
  for (const table of tables) {
    onProgress(table.name);
    const [here, there] = [await sumsOf(snapshot, table), await sumsOf(target.slow, table)];
    if (here["n"] !== there["n"]) throw differs(table.name, `${here["n"]} rows and ${there["n"]}`);
    const other = Object.keys(here).find((key) => here[key] !== there[key]);
    if (other !== undefined)
      throw differs(table.name, `the sums of the column ${table.columns[Number(other.slice(1))]}`);
    rows += here["n"]!;
  }
  return rows;
}

const isSerial = ({ name }: MovedTable): boolean =>
  (TABLES[name] as Record<string, string>)["id"] === "serial";
const sequenceOf = (table: string): string => `${table}_id_seq`;

/** The last assigned number by table. */
async function lastNumbers({ slow, dialect: { name } }: Database): Promise<Map<string, number>> {
  const read = async (db: Db) => {
    // Else the server uses statistics of the last day.
    if (name === "mysql") await sql`set session information_schema_stats_expiry = 0`.execute(db);
    const found =
      name === "sqlite"
        ? sql`select name, seq as last from sqlite_sequence`
        : name === "postgres"
          ? sql`select sequencename as name, last_value as last from pg_sequences where schemaname = current_schema()`
          : sql`select table_name as name, auto_increment - 1 as last from information_schema.tables
              where table_schema = ${currentSchema(name)}`;
    return (await found.execute(db)).rows as { name: string; last: number | null }[];
  };
  const rows = await slow.connection().execute(read);
  return new Map(rows.map(({ name: key, last }) => [key, Number(last ?? 0)]));
}

/** So that the target assigns no number that the source has assigned. */
async function continueSequences(
  source: Database,
  target: Database,
  tables: readonly MovedTable[],
): Promise<void> {
  const [given, has] = [await lastNumbers(source), await lastNumbers(target)];
  const nameIn = (database: Database, table: string) =>
    database.dialect.name === "postgres" ? sequenceOf(table) : table;
  for (const { name } of tables.filter(isSerial)) {
    const last = given.get(nameIn(source, name)) ?? 0;
    if (last <= (has.get(nameIn(target, name)) ?? 0)) continue;
    await setLast(target, name, last);
  }
}

async function setLast({ slow, dialect: { name } }: Database, table: string, last: number): Promise<void> {
  if (name === "postgres") await sql`select setval(${sequenceOf(table)}, ${last})`.execute(slow);
  else if (name === "sqlite") {
    await sql`delete from sqlite_sequence where name = ${table}`.execute(slow);
    await sql`insert into sqlite_sequence (name, seq) values (${table}, ${last})`.execute(slow);
  } else await sql`alter table ${sql.table(table)} auto_increment = ${sql.lit(last + 1)}`.execute(slow);
}
