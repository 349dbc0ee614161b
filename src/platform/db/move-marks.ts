/**
 * What a move notes in both databases, in a table that exists only meanwhile:
 *
 *   source   id, to (for people), log ("open"), mover (move-switch.ts); at the end moved_to (sealed) and moved_at
 *   target   id, `table NAME` (how far its copy is)
 */
import { sql } from "kysely";
import type { Db } from "./dialect.ts";
import { unlessTaken } from "./queries.ts";
import { type MoveSide, tablesOf } from "./move-tables.ts";

export const MARKS = "waymark_move";

export type Marks = ReadonlyMap<string, string>;

/** Null in a database that no move concerns. */
export async function readMarks(database: MoveSide): Promise<Marks | null> {
  if (!(await tablesOf(database)).includes(MARKS)) return null;
  const { rows } = await sql<{ name: string; content: string }>`
    select name, content from ${sql.table(MARKS)}`.execute(database.read);
  return new Map(rows.map(({ name, content }) => [name, content]));
}

export async function createMarks({ slow, dialect: { schema } }: MoveSide): Promise<void> {
  await sql`create table if not exists ${sql.table(MARKS)} (
    name ${sql.raw(schema.text(64))} not null primary key, content ${sql.raw(schema.longText)} not null
  ) ${sql.raw(schema.tableOptions)}`.execute(slow);
}

/** In a transaction of the caller. */
export async function setMarks(db: Db, marks: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, content] of Object.entries(marks)) {
    await sql`delete from ${sql.table(MARKS)} where name = ${name}`.execute(db);
    await sql`insert into ${sql.table(MARKS)} (name, content) values (${name}, ${content})`.execute(db);
  }
}

/** Returns whether there was none. */
export const addMark = ({ write }: MoveSide, name: string, content: string): Promise<boolean> =>
  unlessTaken(() =>
    sql`insert into ${sql.table(MARKS)} (name, content) values (${name}, ${content})`.execute(write),
  );

export const dropMarks = async ({ slow }: MoveSide): Promise<void> =>
  void (await sql`drop table if exists ${sql.table(MARKS)}`.execute(slow));
