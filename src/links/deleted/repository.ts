import type { Selectable } from "kysely";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import type { Schema } from "../../platform/db/schema.ts";
import type { DeletedContent, DeletedLink } from "../link/link.ts";
import { clickRowOf, rowOf } from "../write/rows.repository.ts";
import { NOBODY } from "../../lib/owner.ts";
import { ownerNames } from "../link/owners.repository.ts";
import { addToTotal, totalsOf } from "../link/query.repository.ts";

/** Where a page ended. */
export type DeletedPlace = { at: number; id: number };

/** Links deleted at or after `since`, of some owners or of all (null). */
export type DeletedFilter = { since: number; owners: readonly number[] | null };

/** An account's deletions at an instant, of some links. */
type Deletions = DeletedFilter & { at: number; by: string; ids: readonly number[] };

const PORTION = 1_000;

export type DeletedRepository = ReturnType<typeof createDeletedRepository>;

export function createDeletedRepository({ read, write, dialect }: Database) {
  const newestFirst = ({ since, owners }: DeletedFilter, most: number) =>
    read
      .selectFrom("deleted_links")
      .selectAll()
      .where("deleted_at", ">=", since)
      .where("content", "is not", null)
      .$if(owners !== null, (query) => query.where("owner_id", "in", owners!))
      .orderBy("deleted_at", "desc")
      .orderBy("link_id", "desc")
      .limit(most);

  return {
    present,

    /** Newest first, after a place. */
    async page(filter: DeletedFilter, after: DeletedPlace | null, limit: number): Promise<DeletedLink[]> {
      if (after === null) return named(read, await newestFirst(filter, limit).execute());
      const { at, id } = after;
      const ofInstant = newestFirst(filter, limit).where("deleted_at", "=", at);
      const same = await ofInstant.where("link_id", "<", id).execute();
      const left = limit - same.length;
      const older = left === 0 ? [] : await newestFirst(filter, left).where("deleted_at", "<", at).execute();
      return named(read, [...same, ...older]);
    },

    /** The id of the newest with a key, or null. Reads everything that can be restored: for commands. */
    async newest(key: string, filter: DeletedFilter): Promise<number | null> {
      const row = await newestFirst(filter, 1).where("code", "=", key).executeTakeFirst();
      return row?.link_id ?? null;
    },

    /** Locks a link until the transaction ends; null if it can't be restored. */
    async lock(tx: Db, id: number, since: number): Promise<DeletedLink | null> {
      const row = await tx
        .selectFrom("deleted_links")
        .selectAll()
        .where("link_id", "=", id)
        .$call(dialect.forUpdate)
        .executeTakeFirst();
      const isKept = row !== undefined && row.content !== null && row.deleted_at >= since;
      return isKept ? toDeletedLink(row) : null;
    },

    /** Locks links by id until the transaction ends. */
    async lockMany(tx: Db, { since, owners, at, by, ids }: Deletions): Promise<DeletedLink[]> {
      const rows = await tx
        .selectFrom("deleted_links")
        .selectAll()
        .where("link_id", "in", ids)
        .where("deleted_at", "=", at)
        .where("deleted_at", ">=", since)
        .where("deleted_by", "=", by)
        .where("content", "is not", null)
        .$if(owners !== null, (query) => query.where("owner_id", "in", owners!))
        .orderBy("link_id")
        .$call(dialect.forUpdate)
        .execute();
      return rows.map(toDeletedLink);
    },

    /** With ids, counts and uses, under the given keys. @throws Conflict for an existing key; then roll back */
    async putBack(tx: Db, links: readonly DeletedLink[], now: number): Promise<void> {
      if (links.length === 0) return;
      const rows = links.map((link) => ({ id: link.id, ...rowOf({ ...link, updatedAt: now }) }));
      await dialect.insertMany(tx, "links", rows);
      await dialect.insertMany(tx, "link_clicks", links.map(clickRowOf));
      const used = links.flatMap(({ id, uses }) => (uses === undefined ? [] : [{ link_id: id, uses }]));
      if (used.length > 0) await dialect.insertMany(tx, "link_uses", used);
      const ids = links.map(({ id }) => id);
      await tx.deleteFrom("deleted_links").where("link_id", "in", ids).execute();
      await addToTotal(tx, totalsOf(links));
    },

    /** Aliases among the keys, locked until the transaction ends. */
    async aliases(tx: Db, keys: readonly string[]): Promise<Set<string>> {
      const query = tx.selectFrom("link_aliases").select("code").where("code", "in", keys).orderBy("code");
      return new Set((await query.$call(dialect.forUpdate).execute()).map(({ code }) => code));
    },

    addAliases: (tx: Db, aliases: readonly { code: string; linkId: number }[], now: number): Promise<void> =>
      dialect.insertMany(
        tx,
        "link_aliases",
        aliases.map(({ code, linkId }) => ({ code, link_id: linkId, created_at: now })),
      ),

    /** Handles a portion deleted before `before`, after a place. Returns where it ended, or null at the end. */
    async forgetContents(before: number, after: DeletedPlace): Promise<DeletedPlace | null> {
      const rows = await read
        .selectFrom("deleted_links")
        .select(["link_id", "deleted_at"])
        .where("deleted_at", "<", before)
        .where("deleted_at", ">=", after.at)
        .where((eb) => eb.or([eb("deleted_at", ">", after.at), eb("link_id", ">", after.id)]))
        .orderBy("deleted_at")
        .orderBy("link_id")
        .limit(PORTION)
        .execute();
      const last = rows.at(-1);
      if (last === undefined) return null;
      const ids = rows.map(({ link_id }) => link_id);
      await write
        .updateTable("deleted_links")
        .set({ content: null })
        .where("link_id", "in", ids)
        .where("content", "is not", null)
        .execute();
      return { at: last.deleted_at, id: last.link_id };
    },
  };
}

type Row = Selectable<Schema["deleted_links"]>;

const toDeletedLink = (row: Row): DeletedLink => ({
  ...(JSON.parse(row.content!) as DeletedContent),
  ownerId: row.owner_id,
  id: row.link_id,
  code: row.code,
  clickCount: row.clicks,
  automatedClicks: row.automated,
  deletedAt: row.deleted_at,
  deletedBy: row.deleted_by,
});

async function named(read: Db, rows: readonly Row[]): Promise<DeletedLink[]> {
  const owners = rows.map((row) => row.owner_id);
  const names = await ownerNames(read, owners);
  return rows.map((row) => ({
    ...toDeletedLink(row),
    ownerName: names.get(row.owner_id ?? NOBODY) ?? null,
  }));
}

/** The ids that links have; of some owners, or of any (null). */
async function present(
  tx: Db,
  ids: readonly number[],
  owners: readonly number[] | null,
): Promise<Set<number>> {
  const query = tx.selectFrom("links").select("id").where("id", "in", ids);
  const reached = owners === null ? query : query.where("owner_id", "in", owners);
  return new Set((await reached.execute()).map(({ id }) => id));
}
