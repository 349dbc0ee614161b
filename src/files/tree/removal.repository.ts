import { sql } from "kysely";
import type { Database } from "../../platform/db/database.ts";
import { deleteLinks, type Deletion } from "../../links/write/rows.repository.ts";
import type { Db, Dialect } from "../../platform/db/dialect.ts";
import { finds } from "../../platform/db/queries.ts";
import { COUNTED_BYTES } from "./entries.repository.ts";
import { ownerOfTeam } from "../../lib/owner.ts";

/**
 * Owner of folders being removed. Their parent is the number of the former account, their name is their id, so no
 * account reaches them or their contents.
 */
export const REMOVED_ACCOUNT_ID = -1;

export type Removable = {
  id: number;
  kind: "folder" | "file";
  blobId: number | null;
  size: number;
  versionsBytes: number;
};
/** `parentId`: the folder that must go after it. */
export type Inside = Removable & { parentId: number };

export type RemovalRepository = ReturnType<typeof createRemovalRepository>;

type Deps = { database: Database; record: Deletion["record"] };

export function createRemovalRepository({ database: { read, dialect }, record }: Deps) {
  return {
    async inside(
      tx: Db,
      accountId: number,
      folderIds: readonly number[],
      { limit, without = [] }: { limit: number; without?: readonly number[] },
    ): Promise<Inside[]> {
      if (folderIds.length === 0) return [];
      const rows = await tx
        .selectFrom("entries")
        .select([
          "id",
          "kind",
          "blob_id as blobId",
          "parent_id as parentId",
          "versions_bytes as versionsBytes",
        ])
        .select(COUNTED_BYTES.as("size"))
        .where("account_id", "=", accountId)
        .where("parent_id", "in", folderIds)
        .$if(without.length > 0, (query) => query.where("id", "not in", without))
        .limit(limit)
        .execute();
      return rows.map((row) => ({ ...row, kind: row.kind === "folder" ? "folder" : "file" }));
    },

    /** Keeps new rows from referring to the entries until the transaction ends. */
    async hold(tx: Db, ids: readonly number[]): Promise<void> {
      const query = tx.selectFrom("entries").select("id").where("id", "in", ids).orderBy("id");
      await query.$call(dialect.forUpdate).execute();
    },

    /** Ids of short links that share one of the entries. */
    async sharesOf(tx: Db, entryIds: readonly number[], limit: number): Promise<number[]> {
      const query = tx.selectFrom("shares").select("link_id").where("entry_id", "in", entryIds);
      return (await query.limit(limit).execute()).map((row) => row.link_id);
    },

    /** Whether shares, drop boxes or several items refer to the file. */
    async isUsed(fileId: number, db: Db = read): Promise<boolean> {
      for (const table of ["shares", "share_items", "drop_files"] as const) {
        if (await finds(db.selectFrom(table).select("entry_id").where("entry_id", "=", fileId))) return true;
      }
      return false;
    },

    keepSeveral: (tx: Db, entryIds: readonly number[]): Promise<void> => keepSeveral(tx, dialect, entryIds),

    removeLinks: createLinkRemoval(dialect, record),

    async removeEntries(tx: Db, ids: readonly number[]): Promise<void> {
      await tx.deleteFrom("entries").where("id", "in", ids).execute();
    },

    /** Detaches folders from the account's tree, with their contents. */
    async detach(tx: Db, accountId: number, folderIds: readonly number[]): Promise<void> {
      const set = ["account_id", "parent_id", "name", "policy_id"] as const;
      const rows = folderIds.map((id) => ({
        id,
        account_id: REMOVED_ACCOUNT_ID,
        parent_id: accountId,
        name: String(id),
        policy_id: null,
      }));
      await dialect.updateMany(tx, { table: "entries", key: "id", set }, rows);
    },

    async detached(
      tx: Db,
      accountId: number,
      { limit, without }: { limit: number; without: readonly number[] },
    ): Promise<number[]> {
      const query = tx
        .selectFrom("entries")
        .select("id")
        .where("account_id", "=", REMOVED_ACCOUNT_ID)
        .where("parent_id", "=", accountId)
        .$if(without.length > 0, (some) => some.where("id", "not in", without));
      return (await query.orderBy("name").limit(limit).execute()).map(({ id }) => id);
    },

    /** Ascending, above `after`. */
    async accountsWithDetached(after: number, limit: number): Promise<number[]> {
      const query = read
        .selectFrom("entries")
        .select("parent_id")
        .where("account_id", "=", REMOVED_ACCOUNT_ID)
        .where("parent_id", ">", after);
      const rows = await query.distinct().orderBy("parent_id").limit(limit).execute();
      return rows.map((row) => row.parent_id);
    },

    goneAccounts: (after: number, limit: number) => goneAccounts(read, after, limit),
    accountExists,

    /** They are then removed like abandoned uploads. */
    async expireUploads(tx: Db, accountId: number): Promise<void> {
      const query = tx.updateTable("uploads").set({ expires_at: 0 }).where("account_id", "=", accountId);
      await query.whereRef("received", "<", "size").execute();
    },

    async forgetUsage(tx: Db, accountId: number): Promise<void> {
      await tx.deleteFrom("account_usage").where("account_id", "=", accountId).execute();
      await tx.deleteFrom("dav_locks").where("id", "=", accountId).execute();
    },
  };
}

/** Shares of several items that one of the entries stands for are stood for by an item that stays. */
async function keepSeveral(tx: Db, dialect: Dialect, entryIds: readonly number[]): Promise<void> {
  const rows = await tx
    .selectFrom("shares")
    .innerJoin("share_items", "share_items.link_id", "shares.link_id")
    .where("shares.entry_id", "in", entryIds)
    .where("shares.several", "=", 1)
    .where("share_items.entry_id", "not in", entryIds)
    .groupBy("shares.link_id")
    .select((eb) => ["shares.link_id", eb.fn.min<number>("share_items.entry_id").as("entry_id")])
    .execute();
  if (rows.length === 0) return;
  await dialect.updateMany(tx, { table: "shares", key: "link_id", set: ["entry_id"] }, rows);
}

/**
 * At most 1,000. Their shares go with them. Links that were taken down stay without one, as evidence. Returns codes
 * and aliases of the others.
 */
const createLinkRemoval =
  (dialect: Dialect, record: Deletion["record"]) =>
  async (tx: Db, linkIds: readonly number[], by: Pick<Deletion, "actor" | "now">): Promise<string[]> => {
    const takenDown = await tx
      .selectFrom("links")
      .select("id")
      .where("id", "in", linkIds)
      .where("held", "=", "taken_down")
      .orderBy("code")
      .$call(dialect.forUpdate)
      .execute();
    const kept = takenDown.map(({ id }) => id);
    if (kept.length > 0) {
      const ofThem = tx.selectFrom("shares").select(["link_id", "downloads"]).where("link_id", "in", kept);
      await tx.insertInto("link_downloads").columns(["link_id", "downloads"]).expression(ofThem).execute();
      await tx.deleteFrom("shares").where("link_id", "in", kept).execute();
    }
    const others = linkIds.filter((id) => !kept.includes(id));
    return deleteLinks(tx, "id", others, { ...by, dialect, record });
  };

/** Deleted accounts and teams with a tree that no other owner gets, ascending, above `after`. */
async function goneAccounts(read: Db, after: number, limit: number): Promise<number[]> {
  const rows = await read
    .selectFrom("account_usage")
    .leftJoin("users", "users.id", "account_usage.account_id")
    .leftJoin("teams", (join) => join.on("teams.id", "=", sql<number>`-1 - account_usage.account_id`))
    .leftJoin("transfers", "transfers.from_id", "account_usage.account_id")
    .select("account_usage.account_id as accountId")
    .where("users.id", "is", null)
    .where("teams.id", "is", null)
    .where("transfers.entry_id", "is", null)
    .where("account_usage.account_id", ">", after)
    .where("account_usage.account_id", "<>", 0)
    .orderBy("account_usage.account_id")
    .limit(limit)
    .execute();
  return rows.map(({ accountId }) => accountId);
}

/** Also while another owner gets its files. The built-in administrator always exists. */
async function accountExists(tx: Db, accountId: number): Promise<boolean> {
  if (accountId === 0) return true;
  const isThere =
    accountId > 0
      ? await finds(tx.selectFrom("users").select("id").where("id", "=", accountId))
      : await finds(tx.selectFrom("teams").select("id").where("id", "=", ownerOfTeam(accountId)));
  return isThere || finds(tx.selectFrom("transfers").select("entry_id").where("from_id", "=", accountId));
}
