import { sql } from "kysely";
import { appError } from "../../lib/errors.ts";
import { fault } from "../../lib/fault.ts";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import {
  closedBy,
  createSilence,
  LOG,
  LOOK_MS,
  MARKS,
  readMarks,
  removeMover,
  renameLog,
} from "../../platform/db/move-switch.ts";
import { unlessTaken } from "../../platform/db/queries.ts";

const BEAT_MS = 1_000;

export async function createMarks({ slow, dialect: { schema } }: Database): Promise<void> {
  await sql`create table if not exists ${sql.table(MARKS)} (
    name ${sql.raw(schema.text(64))} not null primary key, content ${sql.raw(schema.longText)} not null
  ) ${sql.raw(schema.tableOptions)}`.execute(slow);
}

/** Stores the marks in a transaction of the caller. */
export async function setMarks(db: Db, marks: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, content] of Object.entries(marks)) {
    await sql`delete from ${sql.table(MARKS)} where name = ${name}`.execute(db);
    await sql`insert into ${sql.table(MARKS)} (name, content) values (${name}, ${content})`.execute(db);
  }
}

/** Returns whether there was none. */
const addMark = ({ write }: Database, name: string, content: string): Promise<boolean> =>
  unlessTaken(() =>
    sql`insert into ${sql.table(MARKS)} (name, content) values (${name}, ${content})`.execute(write),
  );

export type Mover = Awaited<ReturnType<typeof becomeMover>>;

/** Waits for the end of a command that was killed. @throws Conflict while another one moves the database */
export async function becomeMover(source: Database) {
  const { write, transaction, dialect } = source;
  const token = crypto.randomUUID().slice(0, 8);
  const own = sql`name = 'mover' and content like ${`${token} %`}`;
  const lost = new AbortController();
  let [does, beats] = ["copies", 0];
  await takeOver(source, `${token} copies 0`);

  const raise = async (): Promise<void> => {
    const content = `${token} ${does} ${++beats}`;
    const raised = await sql`update ${sql.table(MARKS)} set content = ${content} where ${own}`.execute(write);
    if (raised.numAffectedRows !== 1n) lost.abort(LOST());
    lost.signal.throwIfAborted();
  };
  let last = Promise.resolve();
  const beat = (): Promise<void> => (last = last.catch(() => {}).then(raise));
  // An error of the source ends the command elsewhere.
  const timer = setInterval(() => void beat().catch(() => {}), BEAT_MS);

  return {
    /** Aborts when somebody else ends or continues the move. */
    signal: lost.signal,
    /** @throws Conflict then */
    beat,
    /** Resolves with the name of the log, when no change can follow those in it. */
    async close(now: number): Promise<string> {
      does = "switches";
      await beat();
      const news = { topic: "moves", payload: '["*"]', origin: crypto.randomUUID(), created_at: now };
      await transaction((tx) => dialect.insertMany(tx, "changes", [news]));
      fault("move.told");
      const closed = closedBy(token);
      await renameLog(source, LOG, closed);
      await beat();
      return closed;
    },
    /** From now on servers use the target. @throws Conflict if somebody has opened the source again */
    finish: (marks: Record<"moved_to" | "moved_at", string>): Promise<void> =>
      transaction(async (tx) => {
        const { numAffectedRows } = await sql`delete from ${sql.table(MARKS)} where ${own}`.execute(tx);
        if (numAffectedRows !== 1n) throw LOST();
        await setMarks(tx, marks);
      }),
    /** Lets others act at once. */
    async leave(): Promise<void> {
      clearInterval(timer);
      await last.catch(() => {});
      // Else they find out.
      await sql`delete from ${sql.table(MARKS)} where ${own}`.execute(write).catch(() => {});
    },
  };
}

const LOST = () =>
  appError(
    "Conflict",
    "The move was silent for too long, so the old database stays in use. Run the command again; it continues.",
  );

/** Waits until the mark is free or its command silent. */
async function takeOver(source: Database, content: string): Promise<void> {
  const isSilent = createSilence();
  let first: string | undefined;
  for (; ; await Bun.sleep(LOOK_MS)) {
    const mover = (await readMarks(source))?.get("mover");
    first ??= mover;
    if (mover === undefined) {
      if (await addMark(source, "mover", content)) return;
    } else if (mover !== first) {
      throw appError("Conflict", "Another command is moving this database. End it first.");
    } else if (isSilent(mover)) await removeMover(source, mover);
  }
}
