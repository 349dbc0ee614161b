/**
 * Who moves a database, and the switch. The mark `mover` in the source has a token of the command, what it does, and a
 * number that it raises every second. To switch, the command
 *
 *   1. says so in that mark and in the change feed, so that all servers watch (`movedTo`)
 *   2. renames the log to a name with its token, after which changes are refused
 *   3. brings the rest to the target
 *   4. removes `mover` if it is still its own, and sets `moved_to`, in one transaction
 *
 * While the number stands still, whoever watches removes the mark, so 4 fails, then gives the log its name back. So
 * exactly one database takes changes in the end, whatever is killed. No token is used twice: a late rename finds nothing.
 */
import { sql } from "kysely";
import { appError } from "../../lib/errors.ts";
import { fault } from "../../lib/fault.ts";
import { closedLog, LOG, renameLog } from "./move-log.ts";
import { addMark, dropMarks, MARKS, readMarks, setMarks } from "./move-marks.ts";
import type { MoveSide } from "./move-tables.ts";

const BEAT_MS = 1_000;
/** A command that is silent for so long has ended. */
const SILENT_MS = 6_000;
const LOOK_MS = 250;

const closedBy = (token: string): string => `${LOG}_${token}`;

type Mark = { url: string; id: string };

/**
 * Where the database has moved, as a sealed URL; null when it is the current one. Waits while a move switches. With the
 * id of the move that `database` is the target of, it is the current one from now on.
 * @throws Conflict for an unfinished copy
 */
export async function movedTo(database: MoveSide, followed?: string): Promise<Mark | null> {
  const isSilent = createSilence();
  for (; ; await Bun.sleep(LOOK_MS)) {
    const closed = await closedLog(database);
    // After the log: a token that this does not have will never finish.
    const marks = await readMarks(database);
    if (marks === null) return null;
    const [id, url, mover] = ["id", "moved_to", "mover"].map((name) => marks.get(name));
    if (url !== undefined) return { url, id: id! };
    if (id !== undefined && !marks.has("to")) {
      if (id !== followed) throw unfinished(database);
      await dropMarks(database);
      return null;
    }
    if (closed === null && !mover?.includes(" switches ")) return null;
    const isTheirs = mover !== undefined && (closed === null || closed === closedBy(mover.split(" ")[0]!));
    if (isTheirs && !(isSilent(mover) && (await removeMover(database, mover)))) continue;
    if (closed === null) continue;
    // Others do the same.
    await renameLog(database, closed, LOG).catch(async (error: unknown) => {
      if ((await closedLog(database)) === closed) throw error;
    });
  }
}

const unfinished = ({ name }: MoveSide) =>
  appError(
    "Conflict",
    `${name} is the unfinished copy of another database. Start Waymark with the address of that one: if the move has ` +
      "switched, this finishes it. Else finish the move there, or use another database.",
  );

/** Tells of a content whether it stays the same for long. */
function createSilence(): (content: string) => boolean {
  let [last, since] = ["", 0];
  return (content) => {
    if (content !== last) [last, since] = [content, performance.now()];
    return performance.now() - since > SILENT_MS;
  };
}

const removeMover = async ({ write }: Pick<MoveSide, "write">, content: string): Promise<boolean> =>
  (await sql`delete from ${sql.table(MARKS)} where name = 'mover' and content = ${content}`.execute(write))
    .numAffectedRows === 1n;

export type Mover = Awaited<ReturnType<typeof becomeMover>>;

/** Waits for the end of a command that was killed. @throws Conflict while another one moves the database */
export async function becomeMover(source: MoveSide) {
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
async function takeOver(source: MoveSide, content: string): Promise<void> {
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
