/**
 * How servers and commands learn that a database has moved. Each of the two databases has a table of marks meanwhile:
 *
 *   source   id, to (for people), log ("open"), mover; at the end moved_to (sealed) and moved_at
 *   target   id, `table NAME` (how far its copy is)
 *
 * `mover` has a token of the command, what it does, and a number that it raises every second. To switch, the command
 *
 *   1. records it in that mark and in the change feed, so that all servers watch (`movedTo`)
 *   2. renames the log to a name with its token, after which changes are refused
 *   3. copies the rest to the target
 *   4. removes `mover` if it is still its own, and sets `moved_to`, in one transaction
 *
 * While the number stands still, whoever watches removes the mark, so 4 fails, then gives the log its name back. So
 * exactly one database takes changes in the end, whatever is killed. No token is used twice: a late rename finds
 * nothing.
 */
import { sql } from "kysely";
import { appError } from "../../lib/errors.ts";
import { alter } from "./alter.ts";
import type { Database } from "./dialect.ts";
import type { Dialect } from "./dialect.ts";

export const LOG = "waymark_move_log";
export const MARKS = "waymark_move";

/** A command that is silent for that long has ended. */
const SILENT_MS = 6_000;
export const LOOK_MS = 250;

export const closedBy = (token: string): string => `${LOG}_${token}`;

type Place = { url: string; id: string };

/**
 * Where the database has moved, as a sealed URL; null when it is the current one. Waits while a move switches. With the
 * id of the move that `database` is the target of, it is the current one from now on.
 * @throws Conflict for an unfinished copy
 */
export async function movedTo(database: Database, followed?: string): Promise<Place | null> {
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

const unfinished = ({ name }: Database) =>
  appError(
    "Conflict",
    `${name} is the unfinished copy of another database. Start Waymark with the address of that one: if the move has ` +
      "switched, this finishes it. Else finish the move there, or use another database.",
  );

/** Returns a check whether a content stays the same for long. */
export function createSilence(): (content: string) => boolean {
  let [last, since] = ["", 0];
  return (content) => {
    if (content !== last) [last, since] = [content, performance.now()];
    return performance.now() - since > SILENT_MS;
  };
}

export const removeMover = async ({ write }: Database, content: string): Promise<boolean> =>
  (await sql`delete from ${sql.table(MARKS)} where name = 'mover' and content = ${content}`.execute(write))
    .numAffectedRows === 1n;

export const hasLog = async (source: Database): Promise<boolean> => (await logsOf(source)).length > 0;

/** The name of the log that changes do not find; null while they do, or without a log. */
export const closedLog = async (source: Database): Promise<string | null> =>
  (await logsOf(source)).find((name) => name !== LOG) ?? null;

export const renameLog = (source: Database, from: string, to: string): Promise<void> =>
  alter(source, `alter table ${from} rename to ${to}`);

export const logsOf = async (source: Database): Promise<string[]> =>
  (await tablesOf(source)).filter((name) => name === LOG || name.startsWith(`${LOG}_`));

export type Marks = ReadonlyMap<string, string>;

/** The marks, or null in a database that no move concerns. */
export async function readMarks(database: Database): Promise<Marks | null> {
  if (!(await tablesOf(database)).includes(MARKS)) return null;
  const { rows } = await sql<{ name: string; content: string }>`
    select name, content from ${sql.table(MARKS)}`.execute(database.read);
  return new Map(rows.map(({ name, content }) => [name, content]));
}

export const dropMarks = async ({ slow }: Database): Promise<void> =>
  void (await sql`drop table if exists ${sql.table(MARKS)}`.execute(slow));

export const currentSchema = (dialect: Dialect["name"]) =>
  dialect === "postgres" ? sql`current_schema()` : sql`database()`;

/** The tables of this program and others in the current schema. */
export async function tablesOf({ read, dialect }: Database): Promise<string[]> {
  const found =
    dialect.name === "sqlite"
      ? sql<{ name: string }>`select name from sqlite_schema where type = 'table'`
      : sql<{ name: string }>`select table_name as name from information_schema.tables
          where table_schema = ${currentSchema(dialect.name)}`;
  return (await found.execute(read)).rows.map(({ name }) => name);
}
