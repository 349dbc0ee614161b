import type { Queries } from "../../platform/db/database.ts";
import type { Db, Dialect } from "../../platform/db/dialect.ts";
import { takenDownRefusal } from "../../links/write/allowed-targets.ts";
import { deleteLinks, type Deletion } from "../../links/write/rows.repository.ts";
import { createRecipientsRepository, type RecipientsRepository } from "../recipients/repository.ts";
import { ENTRY_COLUMNS, toEntry } from "../tree/entries.repository.ts";
import type { Entry } from "../tree/entry.ts";
import {
  createShareListRepository,
  dropLimitsIn,
  type LimitColumns,
  SHARE_COLUMNS,
  whereDropBox,
} from "./list.repository.ts";
import type { NewShare, Serving, ShareRecord } from "./served.ts";

export type ServingRepository = ReturnType<typeof createServingRepository>;

type Deps = {
  database: Queries;
  record: Deletion["record"];
  /** The key under which a link with this key is stored. */
  stored(key: string): string;
};

/** What links serve: the rows of shares and drop boxes, their lists and their recipients. */
export function createServingRepository({ database, record, stored }: Deps) {
  const { read, dialect } = database;
  const recipients = createRecipientsRepository(database);

  const sharesIn = (db: Db, linkId: number) =>
    db.selectFrom("shares").select(SHARE_COLUMNS).where("link_id", "=", linkId);

  const { itemsIn, setItems, toServing } = createServingRows(dialect, recipients);
  const columnsOf = ({ accountId, entryId, items, maxDownloads, drop, message, verify }: Serving) => ({
    account_id: accountId,
    entry_id: entryId,
    max_downloads: maxDownloads,
    max_bytes: drop?.maxBytes ?? null,
    max_files: drop?.maxFiles ?? null,
    max_file_size: drop?.maxFileSize ?? null,
    two_way: drop?.isTwoWay ? 1 : 0,
    requires: drop?.requires ?? null,
    sender_folders: drop?.senderFolders ? 1 : 0,
    types: drop?.types.length ? drop.types.join(" ") : null,
    message,
    verify: verify ? 1 : 0,
    several: items === null ? 0 : 1,
  });

  /** What a locked link serves, locked too. Null for a URL. */
  async function lockServing(tx: Db, linkId: number): Promise<Serving | null> {
    const row = await sharesIn(tx, linkId).$call(dialect.forUpdate).executeTakeFirst();
    return row === undefined ? null : toServing(row, linkId, tx);
  }

  return {
    ...createShareListRepository(database),
    recipients,
    ...itemQueries(read),
    ...linkQueries({ database, record, stored }),
    lockServing,

    /** Locks a link by its code, and what it serves. Null if it serves nothing. */
    async lockShare(tx: Db, key: string): Promise<{ linkId: number; serves: Serving } | null> {
      const links = tx.selectFrom("links").select("id").where("code", "=", stored(key));
      const link = await links.$call(dialect.forUpdate).executeTakeFirst();
      const serves = link === undefined ? null : await lockServing(tx, link.id);
      return serves && { linkId: link!.id, serves };
    },

    /** The account whose entry a link serves; undefined for a URL. */
    async accountServedBy(linkId: number): Promise<number | undefined> {
      return (await sharesIn(read, linkId).executeTakeFirst())?.accountId;
    },

    /** The link of a share, and the account whose entry it serves; null for none. */
    async linkWith(key: string): Promise<{ linkId: number; accountId: number } | null> {
      const row = await read
        .selectFrom("shares")
        .innerJoin("links", "links.id", "shares.link_id")
        .select(["shares.link_id as linkId", "shares.account_id as accountId"])
        .where("links.code", "=", stored(key))
        .executeTakeFirst();
      return row ?? null;
    },

    /** What a link serves; null for a URL. */
    async serving(linkId: number): Promise<Serving | null> {
      const row = await sharesIn(read, linkId).executeTakeFirst();
      return row === undefined ? null : toServing(row, linkId, read);
    },

    /** The account of files and folders, also of those in the trash. Null if all are gone. */
    async ownerOf(entryIds: readonly number[]): Promise<number | null> {
      const ids = entryIds.filter(Number.isSafeInteger);
      if (ids.length === 0) return null;
      const query = read.selectFrom("entries").select("account_id").where("id", "in", ids);
      return (await query.orderBy("id").executeTakeFirst())?.account_id ?? null;
    },

    itemsOf: (linkId: number): Promise<number[]> => itemsIn(read, linkId),

    /** A link that redirected gets its former downloads back. */
    async insert(tx: Db, share: NewShare): Promise<void> {
      const { linkId, createdAt } = share;
      const query = tx.selectFrom("link_downloads").select("downloads").where("link_id", "=", linkId);
      const kept = await query.$call(dialect.forUpdate).executeTakeFirst();
      const downloads = kept?.downloads ?? 0;
      await tx
        .insertInto("shares")
        .values({ link_id: linkId, ...columnsOf(share), downloads, created_at: createdAt })
        .execute();
      await recipients.replace(tx, linkId, [], share.recipients);
      if (share.items !== null) await setItems(tx, linkId, share.items);
      if (kept !== undefined) await tx.deleteFrom("link_downloads").where("link_id", "=", linkId).execute();
    },

    /** Keeps downloads, and what the folder received. */
    async update(tx: Db, linkId: number, before: Serving, serving: Serving): Promise<void> {
      const staysOpen = before.drop !== null && serving.drop !== null;
      await tx
        .updateTable("shares")
        .set({ ...columnsOf(serving), ...(!staysOpen && { bytes: 0, files: 0 }) })
        .where("link_id", "=", linkId)
        .execute();
      await recipients.replace(tx, linkId, before.recipients, serving.recipients);
      await setItems(tx, linkId, serving.items);
    },

    /** Makes the link redirect. Returns its downloads, which are kept. */
    async remove(tx: Db, linkId: number): Promise<number> {
      const query = tx.selectFrom("shares").select("downloads").where("link_id", "=", linkId);
      const { downloads } = await query.$call(dialect.forUpdate).executeTakeFirstOrThrow();
      await tx.deleteFrom("shares").where("link_id", "=", linkId).execute();
      await tx.deleteFrom("share_recipients").where("link_id", "=", linkId).execute();
      await setItems(tx, linkId, null);
      await tx.insertInto("link_downloads").values({ link_id: linkId, downloads }).execute();
      return downloads;
    },
  };
}

type Row = Omit<Serving, "drop" | "verify" | "recipients" | "items"> &
  LimitColumns & { several: number; verify: number };

function createServingRows(dialect: Dialect, recipients: RecipientsRepository) {
  async function toServing(row: Row, linkId: number, db: Db): Promise<Serving> {
    const { accountId, entryId, maxDownloads, message, verify, several } = row;
    return {
      accountId,
      entryId,
      maxDownloads,
      message,
      items: several === 0 ? null : await itemsIn(db, linkId),
      verify: verify !== 0,
      recipients: (await recipients.ofLinks([linkId], db)).get(linkId) ?? [],
      drop: dropLimitsIn(row),
    };
  }

  async function itemsIn(db: Db, linkId: number): Promise<number[]> {
    const query = db.selectFrom("share_items").select("entry_id as id").where("link_id", "=", linkId);
    return (await query.orderBy("entry_id").execute()).map(({ id }) => id);
  }

  async function setItems(tx: Db, linkId: number, items: Serving["items"]): Promise<void> {
    await tx.deleteFrom("share_items").where("link_id", "=", linkId).execute();
    const rows = (items ?? []).map((id) => ({ link_id: linkId, entry_id: id }));
    if (rows.length > 0) await dialect.insertMany(tx, "share_items", rows);
  }

  return { itemsIn, setItems, toServing };
}

const itemQueries = (read: Db) => ({
  /** Names of the files in a shared folder, or of several shared files. Null: others are among them, or more. */
  async filesOf(
    db: Db,
    { id, kind, entry, owner }: Pick<ShareRecord, "id" | "kind" | "entry" | "owner">,
    most: number,
  ): Promise<string[] | null> {
    if (entry === null || owner === null) return null;
    const entries = db.selectFrom("entries").select(["entries.name", "entries.kind"]);
    const rows =
      kind === "folder"
        ? await entries
            .where("account_id", "=", owner.id)
            .where("parent_id", "=", entry.id)
            .orderBy("name")
            .limit(most + 1)
            .execute()
        : kind === "items"
          ? await entries
              .innerJoin("share_items", "share_items.entry_id", "entries.id")
              .where("share_items.link_id", "=", id)
              .orderBy("entries.id")
              .limit(most + 1)
              .execute()
          : [];
    const areFiles = rows.length > 0 && rows.length <= most && rows.every((row) => row.kind === "file");
    return areFiles ? rows.map(({ name }) => name) : null;
  },

  /** At most 500 entries. */
  async entriesOf(ids: readonly number[], db: Db = read): Promise<Entry[]> {
    const rows = await db.selectFrom("entries").select(ENTRY_COLUMNS).where("id", "in", ids).execute();
    return rows.map(toEntry);
  },

  /** Those of several items among the entries. */
  async itemsAmong(linkId: number, ids: readonly number[]): Promise<Set<number>> {
    const rows = await read
      .selectFrom("share_items")
      .select("entry_id as id")
      .where("link_id", "=", linkId)
      .where("entry_id", "in", ids)
      .execute();
    return new Set(rows.map(({ id }) => id));
  },
});

const linkQueries = ({ database: { read, dialect }, record, stored }: Deps) => ({
  /** The link of a share of the entry, or of what takes files into it. */
  async linkOf(
    entryId: number,
    code: string,
    { isDrop }: { isDrop: boolean },
    db: Db = read,
  ): Promise<number | null> {
    const row = await db
      .selectFrom("shares")
      .innerJoin("links", "links.id", "shares.link_id")
      .select("links.id")
      .where("links.code", "=", stored(code))
      .where("shares.entry_id", "=", entryId)
      .where("shares.several", "=", 0)
      .where((eb) => (isDrop ? eb("shares.max_files", "is not", null) : eb.not(whereDropBox(eb))))
      .executeTakeFirst();
    return row?.id ?? null;
  },

  /** Returns its code and aliases. @throws Conflict if it was taken down */
  async removeLink(tx: Db, linkId: number, by: Pick<Deletion, "actor" | "now">): Promise<string[]> {
    const query = tx.selectFrom("links").select(["code", "options"]).where("id", "=", linkId);
    const link = await query.$call(dialect.forUpdate).executeTakeFirst();
    const refusal = link === undefined ? null : takenDownRefusal(link);
    if (refusal !== null) throw refusal;
    return deleteLinks(tx, "id", [linkId], { ...by, dialect, record });
  },
});
