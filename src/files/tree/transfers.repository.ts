import { HELD_BYTES } from "./entries.repository.ts";
import type { Selectable } from "kysely";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { finds } from "../../platform/db/queries.ts";
import type { Schema } from "../../platform/db/schema.ts";
import { camelCased, snakeCased } from "../../lib/case-names.ts";
import { createLinkRows } from "../../links/write/rows.repository.ts";
import { createTagging } from "../../links/tags/tagging.repository.ts";
import { ROOT, TRANSIT, TRASH } from "./entry.ts";

export type Transfer = {
  /** The folder on its way. */
  entryId: number;
  from: number;
  to: number;
  parentId: number;
  name: string;
  /** The folder takes all that the former owner has. */
  isWhole: boolean;
  /** That have not come yet. */
  bytes: number;
};

/** `size`: with its versions. */
export type Moving = { id: number; kind: string; size: number };

export type TransfersRepository = ReturnType<typeof createTransfersRepository>;

const LINKS_AT_ONCE = 1_000;

export const createTransfersRepository = (database: Database) => ({
  ...createMoves(database),
  ...createTransferRows(database),
});

const moving = (tx: Db, from: number, limit: number) =>
  tx
    .selectFrom("entries")
    .select(["id", "kind", HELD_BYTES.as("size")])
    .where("account_id", "=", from)
    .limit(limit);

/** Limits are at most 1,000. */
function createMoves({ read, dialect }: Database) {
  const rows = createLinkRows({ read, dialect });
  const { tagsOf } = createTagging(dialect);

  /** The links that serve one of the entries. */
  async function giveLinks(tx: Db, ids: readonly number[], { from, to }: Pick<Transfer, "from" | "to">) {
    for (;;) {
      const shares = tx.selectFrom("shares").select("link_id").where("entry_id", "in", ids);
      const found = await shares.where("account_id", "=", from).limit(LINKS_AT_ONCE).execute();
      if (found.length === 0) return;
      const linkIds = found.map((row) => row.link_id);
      const links = tx.selectFrom("links").select(["id", "owner_id as ownerId"]).where("id", "in", linkIds);
      const locked = await links.orderBy("id").$call(dialect.forUpdate).execute();
      const tags = await tagsOf(tx, linkIds);
      await rows.give(
        tx,
        to,
        locked.map((link) => ({ ...link, tags: tags.get(link.id) ?? [] })),
      );
      await tx.updateTable("shares").set({ account_id: to }).where("link_id", "in", linkIds).execute();
    }
  }

  return {
    /** At most 1,000 entries, with their shares, drop boxes and the unfinished uploads into them. */
    async move(tx: Db, ids: readonly number[], { from, to }: Pick<Transfer, "from" | "to">): Promise<void> {
      await tx.updateTable("entries").set({ account_id: to }).where("id", "in", ids).execute();
      await tx
        .updateTable("uploads")
        .set({ account_id: to })
        .where("account_id", "=", from)
        .where("folder_id", "in", ids)
        .execute();
      await giveLinks(tx, ids, { from, to });
    },

    /** A moved entry gets its place. */
    async place(tx: Db, id: number, place: { parentId: number; name: string; updatedAt: number }) {
      const { parentId, name, updatedAt } = place;
      const set = { parent_id: parentId, name, updated_at: updatedAt };
      await tx.updateTable("entries").set(set).where("id", "=", id).execute();
    },

    /** Moves the entry into transit, under a name that nothing else has there. */
    async intoTransit(tx: Db, id: number): Promise<void> {
      const set = { parent_id: TRANSIT, name: String(id) };
      await tx.updateTable("entries").set(set).where("id", "=", id).execute();
    },

    /** Bytes of the files in a folder, with their versions. */
    async bytesIn(tx: Db, from: number, folderId: number): Promise<number> {
      const { bytes } = await tx
        .withRecursive("below", (query) =>
          query
            .selectFrom("entries")
            .select(["id", "kind", HELD_BYTES.as("size")])
            .where("id", "=", folderId)
            .unionAll(
              query
                // In this order; see `height` (entries.repository.ts).
                .selectFrom("below")
                .crossJoin("entries")
                .select(["entries.id", "entries.kind", HELD_BYTES.as("size")])
                .whereRef("entries.parent_id", "=", "below.id")
                .where("entries.account_id", "=", from)
                .where("below.kind", "=", "folder"),
            ),
        )
        .selectFrom("below")
        .select((eb) => eb.fn.sum<number>("size").as("bytes"))
        .executeTakeFirstOrThrow();
      return Number(bytes ?? 0);
    },

    inside: (tx: Db, from: number, folderIds: readonly number[], limit: number): Promise<Moving[]> =>
      moving(tx, from, limit).where("parent_id", "in", folderIds).execute(),

    /** What the root of the former owner still has goes into the folder; returns what to move. */
    async fromRoot(tx: Db, { from, entryId }: Transfer, limit: number): Promise<Moving[]> {
      const found = await moving(tx, from, limit).where("parent_id", "=", ROOT).execute();
      if (found.length > 0) {
        const ids = found.map(({ id }) => id);
        await tx.updateTable("entries").set({ parent_id: entryId }).where("id", "in", ids).execute();
      }
      return found;
    },

    /** What is in the former owner's trash comes into the new one's; what lay in the root, into the folder. */
    async fromTrash(tx: Db, { from, to, entryId }: Transfer, limit: number): Promise<Moving[]> {
      const found = await moving(tx, from, limit).where("parent_id", "=", TRASH).execute();
      if (found.length > 0) {
        const ids = found.map(({ id }) => id);
        const trashed = () => tx.updateTable("trash").where("entry_id", "in", ids);
        await trashed().set({ parent_id: entryId }).where("parent_id", "=", ROOT).execute();
        await trashed().set({ account_id: to }).execute();
      }
      return found;
    },

    /** Moved folders whose contents have not come; after a crash nobody else knows them. */
    async frontier(tx: Db, { from, to }: Transfer, limit: number): Promise<number[]> {
      const found = await tx
        .selectFrom("entries as left")
        .innerJoin("entries as around", "around.id", "left.parent_id")
        .select("around.id")
        .distinct()
        .where("left.account_id", "=", from)
        .where("around.account_id", "=", to)
        .limit(limit)
        .execute();
      return found.map(({ id }) => id);
    },

    async hasEntries(tx: Db, owner: number): Promise<boolean> {
      return (await moving(tx, owner, 1).execute()).length > 0;
    },
  };
}

/** Rows of unfinished transfers. */
function createTransferRows({ read }: Database) {
  return {
    async insert(tx: Db, { from, to, isWhole, ...rest }: Transfer): Promise<void> {
      const values = { ...snakeCased(rest), from_id: from, to_id: to, is_whole: isWhole ? 1 : 0 };
      await tx.insertInto("transfers").values(values).execute();
    },

    /** The transfer, or null when it is done. */
    async find(id: number, db: Db = read): Promise<Transfer | null> {
      const query = db.selectFrom("transfers").selectAll().where("entry_id", "=", id);
      const row = await query.executeTakeFirst();
      return row === undefined ? null : toTransfer(row);
    },

    /** A page of unfinished transfers by id, after the given one. */
    async unfinished(after: number, limit: number): Promise<Transfer[]> {
      const query = read.selectFrom("transfers").selectAll().where("entry_id", ">", after);
      return (await query.orderBy("entry_id").limit(limit).execute()).map(toTransfer);
    },

    /** Something is on its way from or to one of the owners. */
    async isMoving(tx: Db, from: number, by: "from" | "either"): Promise<boolean> {
      const query = tx
        .selectFrom("transfers")
        .select("entry_id")
        .where((eb) =>
          by === "from"
            ? eb("from_id", "=", from)
            : eb.or([eb("from_id", "=", from), eb("to_id", "=", from)]),
        );
      return finds(query);
    },

    async arrived(tx: Db, { entryId, bytes }: Transfer, size: number): Promise<void> {
      const query = tx.updateTable("transfers").set({ bytes: Math.max(0, bytes - size) });
      await query.where("entry_id", "=", entryId).execute();
    },

    async remove(tx: Db, id: number): Promise<void> {
      await tx.deleteFrom("transfers").where("entry_id", "=", id).execute();
    },
  };
}

function toTransfer(row: Selectable<Schema["transfers"]>): Transfer {
  const { fromId: from, toId: to, isWhole, ...rest } = camelCased(row);
  return { ...rest, from, to, isWhole: isWhole === 1 };
}
