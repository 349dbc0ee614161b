/**
 * Moves everything to an empty database while servers use the source: opens the log in the source, copies and follows it
 * in rounds (move-copy.ts), compares all tables in one snapshot, closes the log, applies the rest of it, and marks the
 * source as moved. Whoever opens that from now on follows (`movedTo`). Marks in both databases (move-marks.ts) say what
 * is done, so it continues after any end.
 */
import { appError, messageOf } from "../lib/errors.ts";
import { silentLogger } from "../lib/logger.ts";
import type { Database } from "./database.ts";
import { migrateUp, migrationStatus } from "./migrate.ts";
import { compareTables } from "./move-compare.ts";
import { applyLog, copyRound, type MoveCopy, notBegun, type Progress } from "./move-copy.ts";
import { CLOSED_LOG, closeLog, LOG, openLog, removeLog, reopenLog } from "./move-log.ts";
import { createMarks, dropMarks, type Marks, readMarks, setMarks } from "./move-marks.ts";
import { continueSequences } from "./move-sequences.ts";
import { hasTable, inSnapshot, MOVED, movedTables, type MovedTable } from "./move-tables.ts";

export type MoveSettings = {
  source: Database;
  target: Database;
  /** The target's URL, which the source keeps. */
  sealedUrl: string;
  /** Ends after the comparison. */
  hold: boolean;
  now(): number;
  signal: AbortSignal;
  onProgress(step: "copy" | "compare" | "follow", what: string): void;
};

export type Moved = {
  rows: number;
  /** For how long the source refused changes before its servers could follow; null when held. */
  closedMs: number | null;
};

/** Changes in one round that the last one can apply while writers wait. */
const FEW = 2_000;
const QUICK_MS = 1_000;
const MOST_ROUNDS = 500;
/** For the change feed, which tells all servers. */
const newsAt = (now: number) => ({
  topic: "moves",
  payload: '["*"]',
  origin: crypto.randomUUID(),
  created_at: now,
});
/** Rows that migrations make. */
const MADE = ["instance", "link_totals"] as const;

/** Continues what an earlier call began. @throws Conflict if either database belongs to another move, or data is lost */
export async function moveDatabase(settings: MoveSettings): Promise<Moved> {
  const { source, target, hold, now } = settings;
  const tables = await movedTables(source);
  const isClosed = await begin(settings, tables);
  const copying = await resume(settings, tables);
  let rows = isClosed ? 0 : await catchUp(copying, settings);
  if (hold && !isClosed) return { rows, closedMs: null };
  const closedAt = performance.now();
  try {
    await closeLog(source);
    await refuseOtherSchema(source, target);
    await inSnapshot(source, async (snapshot) => {
      await applyLog(copying, snapshot, CLOSED_LOG, true);
      // A call that ended here had changed rows after it compared them.
      if (isClosed)
        rows = await compareTables(snapshot, target, tables, (table) =>
          settings.onProgress("compare", table),
        );
    });
    await continueSequences(source, target, tables);
    await setMarks(target.write, { done: String(now()) });
  } catch (error) {
    await reopenLog(source).catch(() => {});
    throw error;
  }
  const mark = { moved_to: settings.sealedUrl, moved_at: String(now()) };
  await source.transaction(async (tx) => {
    await setMarks(tx, mark);
    await source.dialect.insertMany(tx, "changes", [newsAt(now())]);
  });
  await dropMarks(target);
  return { rows, closedMs: Math.round(performance.now() - closedAt) };
}

/** Forgets an unfinished move. The target keeps what was copied. */
export async function cancelMove(source: Database): Promise<void> {
  const marks = await readMarks(source);
  if (marks === null || marks.has("done"))
    throw appError("Conflict", "No move of this database is under way.");
  if (marks.has("moved_at")) throw moved(marks);
  await removeLog(source, await movedTables(source));
  await dropMarks(source);
}

/** The sealed URL of the database that this one moved to; null when it is the current one. @throws Conflict for a copy */
export async function movedTo(database: Database): Promise<string | null> {
  const marks = await readMarks(database);
  if (marks === null || marks.has("done")) return null;
  if (marks.has("moved_to")) return marks.get("moved_to")!;
  if (marks.has("to")) return null;
  throw appError(
    "Conflict",
    `${database.name} is the unfinished copy of another database. Finish the move there, or use another database.`,
  );
}

const moved = (marks: Marks) =>
  appError("Conflict", `This database has moved to ${marks.get("to")}; set database.url to it.`);

/** Prepares both databases. Returns whether the source is closed. */
async function begin(settings: MoveSettings, tables: readonly MovedTable[]): Promise<boolean> {
  const { source, target } = settings;
  let marks = await readMarks(source);
  if (marks?.has("done")) {
    await dropMarks(source);
    marks = null;
  }
  if (marks?.has("moved_at")) throw moved(marks);
  if (marks !== null && marks.size > 0 && marks.get("to") !== target.name)
    throw appError(
      "Conflict",
      `A move to ${marks.get("to")} is under way. Continue with that address, or end it with --cancel.`,
    );
  const id = marks?.get("id") ?? crypto.randomUUID();
  const copy = await readMarks(target);
  if (copy !== null && copy.size > 0 && copy.get("id") !== id)
    throw appError("Conflict", `${target.name} belongs to another move; give an empty database.`);
  if (copy === null) await refuseFull(target);
  if (marks === null || marks.size === 0) {
    await createMarks(source);
    await source.transaction((tx) => setMarks(tx, { id, to: target.name }));
  }
  await createMarks(target);
  await migrateUp(target, { logger: silentLogger });
  await refuseOtherSchema(source, target);
  if (copy === null || copy.size === 0)
    await target.transaction(async (tx) => {
      for (const name of MADE) await tx.deleteFrom(name).execute();
      await setMarks(tx, { id });
    });
  if (!(await hasTable(source, LOG)) && (await hasTable(source, CLOSED_LOG))) return true;
  if (marks?.get("log") !== "open") {
    await openLog(source, tables).catch((error: unknown) => {
      throw /denied|privilege|owner/i.test(messageOf(error))
        ? appError(
            "BadRequest",
            `The account of ${source.name} must be allowed to create triggers: ${messageOf(error)}`,
          )
        : error;
    });
    await source.transaction((tx) => setMarks(tx, { log: "open" }));
  }
  return false;
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
async function catchUp(copying: MoveCopy, settings: MoveSettings): Promise<number> {
  const { source, target, tables } = copying;
  const { signal, onProgress } = settings;
  for (let isCopied = false; !isCopied; )
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
  const found = new Set((await target.read.introspection.getTables()).map(({ name }) => name));
  const own = MOVED.filter((name) => found.has(name));
  if (own.length > 0 && !(await hasTable(target, "kysely_migration"))) throw full;
  for (const name of own) {
    if (name === "instance") continue;
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
