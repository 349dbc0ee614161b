import type { LocatedEntry } from "../tree/located-entry.ts";
import { sql } from "kysely";
import type { Database } from "../../platform/db/database.ts";
import { contentTime, ROOT } from "../tree/entry.ts";

export type FoundEntry = Omit<LocatedEntry, "path">;

/** The order of search, that of the database's unique index: by folder, then by the bytes of the name. */
export type NamePlace = { parentId: number; name: string };

export type FoundName = NamePlace & { id: number };

export type SearchRepository = ReturnType<typeof createSearchRepository>;

/** Precedes every name in the tree. */
const START: NamePlace = { parentId: ROOT, name: "" };

/** So few are found by the index of names and sorted; for more, the account's names are read in order. */
const FEW = 20_000;

export function createSearchRepository({ read, dialect }: Database) {
  const containing = (text: string, usesIndex: boolean) =>
    read
      .selectFrom("entries")
      .select(["id", "parent_id as parentId", "name"])
      .where(dialect.nameContains(text, { usesIndex }));

  return {
    /** Among the names of all accounts. False without a suitable index. */
    isRare: (text: string): Promise<boolean> => dialect.hasFewNames(read, text, FEW),

    /** Reads by the index of names. The other conditions have forms that keep a planner off their index. */
    rare: (accountId: number, text: string, after: NamePlace | null, limit: number): Promise<FoundName[]> =>
      containing(text, true)
        .where(sql`account_id + 0`, "=", accountId)
        .where((eb) => {
          const { parentId, name } = after ?? START;
          return eb.or([
            eb("parent_id", ">", parentId),
            eb.and([eb("parent_id", "=", parentId), eb("name", ">", name)]),
          ]);
        })
        .orderBy(sql`parent_id + 0`)
        .orderBy("name")
        .limit(limit)
        .execute(),

    /** Along the account's names. */
    async frequent(
      accountId: number,
      text: string,
      after: NamePlace | null,
      limit: number,
    ): Promise<FoundName[]> {
      const { parentId, name } = after ?? START;
      const query = containing(text, false)
        .where("account_id", "=", accountId)
        .orderBy("parent_id")
        .orderBy("name");
      // Two ranges of the index: no server finds a pair of values in one as fast.
      const inFolder = await query
        .where("parent_id", "=", parentId)
        .where("name", ">", name)
        .limit(limit)
        .execute();
      const left = limit - inFolder.length;
      if (left === 0) return inFolder;
      return [...inFolder, ...(await query.where("parent_id", ">", parentId).limit(left).execute())];
    },

    /** Keeps the order; leaves out what was moved or deleted meanwhile. */
    async load(names: readonly FoundName[]): Promise<FoundEntry[]> {
      if (names.length === 0) return [];
      const ids = names.map(({ id }) => id);
      const rows = await read
        .selectFrom("entries")
        .select(["id", "kind", "parent_id as parentId", "name", "size", "mime_type as mimeType"])
        .select(["modified_at as modifiedAt", "created_at as createdAt", "updated_at as updatedAt"])
        .select(["policy_id as policyId", "disk_time as diskTime"])
        .where("id", "in", ids)
        .execute();
      const byId = new Map(
        rows.map(({ diskTime, ...row }) => [
          row.id,
          {
            ...row,
            isLinked: diskTime !== null,
            modifiedAt: row.kind === "folder" ? null : contentTime({ ...row, diskTime }),
          },
        ]),
      );
      return names.flatMap(({ id, parentId }) => {
        const row = byId.get(id);
        if (row?.parentId !== parentId) return [];
        const isFolder = row.kind === "folder";
        return [{ ...row, kind: isFolder ? "folder" : "file", size: isFolder ? null : row.size }];
      });
    },
  };
}
