import { sql } from "kysely";
import type { Database } from "../../db/database.ts";
import type { Db } from "../../db/dialect.ts";
import { chunked } from "../../lib/chunked.ts";
import { ROOT } from "../tree/entry.ts";
import { type HeldName, keyOfPlace, type NamePlace } from "./name-place.ts";

export type FoundEntry = NamePlace & {
  id: number;
  kind: "folder" | "file";
  /** Null for folders, like the type. */
  size: number | null;
  mimeType: string | null;
  createdAt: number;
  updatedAt: number;
};

/** `ids`, and the present state of those that exist. */
export type ChangedNames = {
  ids: readonly number[];
  found: readonly (HeldName & { accountId: number })[];
};

export type SearchRepository = ReturnType<typeof createSearchRepository>;

const CHUNK = 1_000;

/** Precedes every name in the tree. */
export const START: NamePlace = { parentId: ROOT, name: "" };

export function createSearchRepository({ read, dialect }: Pick<Database, "read" | "dialect">) {
  const named = (db: Db = read) => db.selectFrom("entries").select(["id", "parent_id as parentId", "name"]);

  async function withIds(ids: readonly number[]): Promise<(HeldName & { accountId: number })[]> {
    const found: (HeldName & { accountId: number })[] = [];
    for (const chunk of chunked([...ids], CHUNK)) {
      found.push(...(await named().select("account_id as accountId").where("id", "in", chunk).execute()));
    }
    return found;
  }

  return {
    /** Names of the tree after a place, in order. */
    async names(accountId: number, after: NamePlace, limit: number): Promise<HeldName[]> {
      const query = named().where("account_id", "=", accountId).orderBy("parent_id").orderBy("name");
      // Two ranges of the index: no server finds a pair of values in one as fast.
      const inFolder = await query
        .where("parent_id", "=", after.parentId)
        .where("name", ">", after.name)
        .limit(limit)
        .execute();
      const left = limit - inFolder.length;
      if (left === 0) return inFolder;
      return [...inFolder, ...(await query.where("parent_id", ">", after.parentId).limit(left).execute())];
    },

    /** Entries with larger ids, by id. */
    newNames: (accountId: number, afterId: number, limit: number): Promise<HeldName[]> =>
      named()
        .where("id", ">", afterId)
        // Else a database may read all entries of the account.
        .where(sql`account_id + 0`, "=", accountId)
        .orderBy("id")
        .limit(limit)
        .execute(),

    changedNames: async (ids: readonly number[]): Promise<ChangedNames> => ({
      ids,
      found: await withIds(ids),
    }),

    /** Among all entries. */
    async newestId(tx: Db): Promise<number> {
      const newest = await tx
        .selectFrom("entries")
        .select("id")
        .orderBy("id", "desc")
        .limit(1)
        .executeTakeFirst();
      return newest?.id ?? 0;
    },

    /** All names that may have the text, in any order. Null without a suitable index, or beyond `most`. */
    async candidates(accountId: number, text: string, most: number): Promise<HeldName[] | null> {
      const ids = await dialect.nameCandidates(read, text, most + 1);
      if (ids === null || ids.length > most) return null;
      return (await withIds(ids)).filter((name) => name.accountId === accountId);
    },

    /** Keeps the order; leaves out missing entries. At most 1,000. */
    async load(accountId: number, places: readonly NamePlace[]): Promise<FoundEntry[]> {
      if (places.length === 0) return [];
      const rows = places.map(({ parentId, name }) => ({ account_id: accountId, parent_id: parentId, name }));
      const found = await read
        .selectFrom(dialect.valuesTable("entries", ["account_id", "parent_id", "name"], rows))
        .innerJoin("entries", (join) =>
          join
            .onRef("entries.account_id", "=", "v.account_id")
            .onRef("entries.parent_id", "=", "v.parent_id")
            .onRef("entries.name", "=", "v.name"),
        )
        .select([
          "entries.id",
          "entries.kind",
          "entries.parent_id as parentId",
          "entries.name",
          "entries.size",
          "entries.mime_type as mimeType",
          "entries.created_at as createdAt",
          "entries.updated_at as updatedAt",
        ])
        .execute();
      const byPlace = new Map(found.map((row) => [keyOfPlace(row), row]));
      return places.flatMap((place) => {
        const row = byPlace.get(keyOfPlace(place));
        if (row === undefined) return [];
        const isFolder = row.kind === "folder";
        return [{ ...row, kind: isFolder ? "folder" : "file", size: isFolder ? null : row.size }];
      });
    },
  };
}
