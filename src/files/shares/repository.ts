import type { Database } from "../../db/database.ts";
import { deleteLinks, type Deletion } from "../../links/deletion.repository.ts";
import { linksIn } from "../../links/query.repository.ts";
import type { Db } from "../../db/dialect.ts";
import type { NewShare, SharedEntry, ShareRecord } from "./share.ts";

export type SharesRepository = ReturnType<typeof createSharesRepository>;

type Deps = { database: Pick<Database, "read" | "write" | "dialect">; record: Deletion["record"] };

export function createSharesRepository({ database: { read, write, dialect }, record }: Deps) {
  /** If the limit allows it. */
  async function count(linkId: number): Promise<boolean> {
    const result = await write
      .updateTable("shares")
      .set((eb) => ({ downloads: eb("downloads", "+", 1) }))
      .where("link_id", "=", linkId)
      .where((eb) => eb.or([eb("max_downloads", "is", null), eb("downloads", "<", eb.ref("max_downloads"))]))
      .executeTakeFirst();
    return Number(result.numUpdatedRows) === 1;
  }

  return {
    count,

    async uncount(linkId: number): Promise<void> {
      await write
        .updateTable("shares")
        .set((eb) => ({ downloads: eb("downloads", "-", 1) }))
        .where("link_id", "=", linkId)
        .where("downloads", ">", 0)
        .execute();
    },

    async insert(tx: Db, share: NewShare): Promise<void> {
      await tx
        .insertInto("shares")
        .values({
          link_id: share.linkId,
          entry_id: share.entryId,
          account_id: share.accountId,
          max_downloads: share.maxDownloads,
          downloads: 0,
          max_bytes: share.drop?.maxBytes ?? null,
          max_files: share.drop?.maxFiles ?? null,
          max_file_size: share.drop?.maxFileSize ?? null,
          created_at: share.createdAt,
        })
        .execute();
    },

    async ofEntry(entryId: number, limit: number): Promise<ShareRecord[]> {
      const shares = await linksIn(read)
        .innerJoin("shares", "shares.link_id", "links.id")
        .select(["shares.max_downloads as maxDownloads", "shares.downloads"])
        .where("shares.entry_id", "=", entryId)
        .where("shares.max_files", "is", null)
        .orderBy("shares.link_id", "desc")
        .limit(limit)
        .execute();
      return shares.map((share) => ({ ...share, tags: [] }));
    },

    /** If it shares the entry. */
    async linkOf(tx: Db, entryId: number, code: string): Promise<number | null> {
      const row = await tx
        .selectFrom("shares")
        .innerJoin("links", "links.id", "shares.link_id")
        .select("links.id")
        .where("links.code", "=", code)
        .where("shares.entry_id", "=", entryId)
        .executeTakeFirst();
      return row?.id ?? null;
    },

    removeLink: (tx: Db, linkId: number, by: Pick<Deletion, "actor" | "now">): Promise<void> =>
      deleteLinks(tx, "id", [linkId], { ...by, dialect, record }),

    /** Of what is shared, no drop box. Null also if its account is disabled or gone. */
    async find(linkId: number): Promise<SharedEntry | null> {
      const row = await read
        .selectFrom("shares")
        .innerJoin("links", "links.id", "shares.link_id")
        .innerJoin("entries", "entries.id", "shares.entry_id")
        .leftJoin("users", "users.id", "entries.account_id")
        .select([
          "shares.link_id as linkId",
          "links.code",
          "links.created_at as createdAt",
          "links.expires_at as expiresAt",
          "links.password_hash as passwordHash",
          "shares.max_downloads as maxDownloads",
          "shares.downloads",
          "entries.id as entryId",
          "entries.account_id as accountId",
          "entries.kind",
          "users.disabled",
        ])
        .where("shares.link_id", "=", linkId)
        .where("shares.max_files", "is", null)
        .executeTakeFirst();
      if (row === undefined) return null;
      const { disabled, ...share } = row;
      if (share.accountId !== 0 && disabled !== 0) return null;
      return { ...share, kind: share.kind === "folder" ? "folder" : "file" };
    },
  };
}
