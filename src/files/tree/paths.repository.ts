import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { sql } from "kysely";
import { foundInChunks } from "../../lib/chunked.ts";
import { MOST_LEVELS, ROOT } from "./entry.ts";

/** The folders from the root to the folder itself; empty for the root. */
export type FolderPath = readonly { id: number; name: string }[];

export type PathsRepository = ReturnType<typeof createPathsRepository>;

const CHUNK = 1_000;

export function createPathsRepository({ read }: Database) {
  /** The folders and their ancestors, of any account: with one account, a database may read all its entries. */
  const around = (accountId: number, folderIds: readonly number[], db: Db) =>
    db
      .withRecursive("line", (query) =>
        query
          .selectFrom("entries")
          .select(["id", "parent_id", "name", "account_id"])
          .where("kind", "=", "folder")
          .where("id", "in", folderIds)
          .union(
            query
              .selectFrom("entries")
              .innerJoin("line", "line.parent_id", "entries.id")
              .select(["entries.id", "entries.parent_id", "entries.name", "entries.account_id"])
              .where("entries.account_id", "=", accountId),
          ),
      )
      .selectFrom("line")
      .select(["id", "parent_id as parentId", "name", "account_id as accountId"])
      .execute();

  return {
    /** The paths of folders that reach the root: not of those in the trash or being removed. */
    async pathsOf(
      accountId: number,
      folderIds: readonly number[],
      db: Db = read,
    ): Promise<Map<number, FolderPath>> {
      const ids = [...new Set(folderIds)];
      const belowRoot = ids.filter((id) => id > ROOT);
      const rows = await foundInChunks(belowRoot, CHUNK, (chunk) => around(accountId, chunk, db));
      const own = rows.filter((row) => row.accountId === accountId);
      const folders = new Map(own.map((row) => [row.id, row]));
      return new Map(
        ids.flatMap((id) => {
          const path = pathUp(folders, id);
          return path === null ? [] : [[id, path] as const];
        }),
      );
    },
  };
}

/**
 * The ids of folders and of all folders in them, for `in`. Files among them stay. The step joins in the order of `height`
 * (entries.repository.ts).
 */
export const foldersInside = (accountId: number, ...ids: readonly number[]) => sql<number>`(
  with recursive inside (id) as (
    select entries.id from entries where entries.id in (${sql.join(ids)}) and entries.account_id = ${accountId}
    union
    select entries.id from inside cross join entries
    where entries.parent_id = inside.id and entries.account_id = ${accountId} and entries.kind = 'folder'
  ) select id from inside)`;

/** The ids of the folders around entries, for `in`. */
export const foldersAround = (accountId: number, ids: readonly number[]) => sql<number>`(
  with recursive around (id) as (
    select entries.parent_id from entries where entries.id in (${sql.join(ids)}) and entries.account_id = ${accountId}
    union
    select entries.parent_id from around cross join entries
    where entries.id = around.id and entries.account_id = ${accountId}
  ) select id from around)`;

function pathUp(
  folders: ReadonlyMap<number, { id: number; parentId: number; name: string }>,
  id: number,
): FolderPath | null {
  const path: { id: number; name: string }[] = [];
  for (let at = id; at !== ROOT; ) {
    const folder = folders.get(at);
    if (folder === undefined || path.length > MOST_LEVELS) return null;
    path.push({ id: folder.id, name: folder.name });
    at = folder.parentId;
  }
  return path.toReversed();
}
