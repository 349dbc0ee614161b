import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { explainViolations } from "../../platform/db/failures.ts";
import { countRows } from "../../platform/db/queries.ts";
import type { AppError } from "../../lib/errors.ts";
import { type Entry, TRASH } from "../tree/entry.ts";
import { foldersInside } from "../tree/paths.repository.ts";
import { COUNTED_BYTES } from "../tree/entries.repository.ts";
import type { Removable } from "../tree/removal.repository.ts";
import type { Trashed } from "./trashed.ts";

/** Where a page ended. */
export type TrashPlace = { at: number; id: number };

/** `within`: only what was in that folder. */
type TrashPage = { after?: TrashPlace | null; offset?: number; limit: number; within: number | null };

/** Replaces the time in entries of an emptied trash that are not removed yet and that nobody sees. */
const EMPTIED = 0;

export type TrashRepository = ReturnType<typeof createTrashRepository>;

export function createTrashRepository({ read }: Database) {
  return {
    put,
    empty,

    async find(tx: Db, accountId: number, id: number): Promise<Trashed | null> {
      const row = await shown(tx, accountId).where("trash.entry_id", "=", id).executeTakeFirst();
      return row === undefined ? null : toTrashed(row);
    },

    async removable(tx: Db, accountId: number, id: number): Promise<Removable | null> {
      const row = await shown(tx, accountId)
        .select(["entries.blob_id as blobId", "entries.versions_bytes as versionsBytes"])
        .select(COUNTED_BYTES.as("counted"))
        .where("trash.entry_id", "=", id)
        .executeTakeFirst();
      return row === undefined ? null : { ...row, size: row.counted, kind: kindOf(row.kind) };
    },

    /** Newest first: after a place, or from an offset. */
    async page(
      accountId: number,
      { after = null, offset = 0, limit, within }: TrashPage,
    ): Promise<Trashed[]> {
      const sorted = (most: number) =>
        shown(read, accountId)
          .$if(within !== null, (query) =>
            query.where("trash.parent_id", "in", foldersInside(accountId, within!)),
          )
          .orderBy("trash.trashed_at", "desc")
          .orderBy("trash.entry_id", "desc")
          .limit(most);
      if (after === null) return (await sorted(limit).offset(offset).execute()).map(toTrashed);
      // Two ranges of the index: not every server finds a pair of values in one.
      const same = await sorted(limit)
        .where("trash.trashed_at", "=", after.at)
        .where("trash.entry_id", "<", after.id)
        .execute();
      const older =
        same.length === limit
          ? []
          : await sorted(limit - same.length)
              .where("trash.trashed_at", "<", after.at)
              .execute();
      return [...same, ...older].map(toTrashed);
    },

    async formerFolder(id: number): Promise<number | null> {
      const query = trash(read).select("trash.parent_id as parentId").where("trash.entry_id", "=", id);
      return (await query.executeTakeFirst())?.parentId ?? null;
    },

    count: (accountId: number, within: number | null): Promise<number> =>
      countRows(
        read
          .selectFrom("trash")
          .where("account_id", "=", accountId)
          .where("trashed_at", ">", EMPTIED)
          .$if(within !== null, (query) => query.where("parent_id", "in", foldersInside(accountId, within!))),
      ),

    /** @throws the given error if the name is taken */
    async putBack(
      tx: Db,
      id: number,
      place: { parentId: number; name: string; updatedAt: number | null },
      taken: (cause: unknown) => AppError,
    ): Promise<void> {
      const { parentId, name, updatedAt } = place;
      const query = tx
        .updateTable("entries")
        .set({ parent_id: parentId, name, ...(updatedAt !== null && { updated_at: updatedAt }) })
        .where("id", "=", id);
      await explainViolations(() => query.execute(), { unique: taken });
      await this.forget(tx, [id]);
    },

    /** Forgets at most 1,000 entries, which stay or are removed otherwise. */
    async forget(tx: Db, ids: readonly number[]): Promise<void> {
      if (ids.length > 0) await tx.deleteFrom("trash").where("entry_id", "in", ids).execute();
    },

    /** Entries of an emptied trash, or trashed at or before `until`; oldest first. */
    async due(
      tx: Db,
      accountId: number,
      until: number,
      { limit, without }: { limit: number; without: readonly number[] },
    ): Promise<Removable[]> {
      const rows = await trash(tx)
        .select(["entries.id", "entries.kind", "entries.blob_id as blobId"])
        .select(COUNTED_BYTES.as("size"))
        .select("entries.versions_bytes as versionsBytes")
        .where("trash.account_id", "=", accountId)
        .where("trash.trashed_at", "<=", until)
        .$if(without.length > 0, (query) => query.where("entries.id", "not in", without))
        .orderBy("trash.trashed_at")
        .orderBy("trash.entry_id")
        .limit(limit)
        .execute();
      return rows.map((row) => ({ ...row, kind: kindOf(row.kind) }));
    },

    /** Accounts with entries of that kind, ascending, above `after`. */
    async accountsDue(until: number, after: number, limit: number): Promise<number[]> {
      const rows = await trash(read)
        .select("trash.account_id as id")
        .distinct()
        .where("trash.trashed_at", "<=", until)
        .where("trash.account_id", ">", after)
        .orderBy("trash.account_id")
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },
  };
}

const trash = (db: Db) =>
  db
    .selectFrom("trash")
    .innerJoin("entries", "entries.id", "trash.entry_id")
    .where("entries.parent_id", "=", TRASH);

const shown = (db: Db, accountId: number) =>
  trash(db)
    .select([
      "trash.entry_id as id",
      "entries.kind",
      "trash.name",
      "trash.parent_id as parentId",
      "entries.size",
      "trash.trashed_at as trashedAt",
    ])
    .where("trash.account_id", "=", accountId)
    .where("trash.trashed_at", ">", EMPTIED);

/** Marks all, so that none is shown or put back. Returns how many. */
async function empty(tx: Db, accountId: number, within: number | null): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable("trash")
    .set({ trashed_at: EMPTIED })
    .where("account_id", "=", accountId)
    .where("trashed_at", ">", EMPTIED)
    .$if(within !== null, (query) => query.where("parent_id", "in", foldersInside(accountId, within!)))
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Takes the entry out of its folder. */
async function put(tx: Db, entry: Entry, now: number): Promise<void> {
  const set = { parent_id: TRASH, name: String(entry.id) };
  await tx.updateTable("entries").set(set).where("id", "=", entry.id).execute();
  const row = {
    entry_id: entry.id,
    account_id: entry.accountId,
    parent_id: entry.parentId,
    name: entry.name,
    trashed_at: now,
  };
  await tx.insertInto("trash").values(row).execute();
}

const kindOf = (kind: string): "folder" | "file" => (kind === "folder" ? "folder" : "file");

const toTrashed = (row: Omit<Trashed, "kind"> & { kind: string }): Trashed => ({
  ...row,
  kind: kindOf(row.kind),
  size: row.kind === "folder" ? null : row.size,
});
