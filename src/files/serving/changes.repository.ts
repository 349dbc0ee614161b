import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { createRecipientsRepository, type RecipientsRepository } from "../recipients/repository.ts";
import type { DropLimits, NewShare, Serving } from "./served.ts";

export const SHARE_COLUMNS = [
  "shares.account_id as accountId",
  "shares.entry_id as entryId",
  "shares.max_downloads as maxDownloads",
  "shares.max_bytes as maxBytes",
  "shares.max_files as maxFiles",
  "shares.max_file_size as maxFileSize",
  "shares.two_way as twoWay",
  "shares.message",
  "shares.verify",
  "shares.several",
] as const;

/** What visitors are told of a share or drop box, and who gets or shares the files. */
export const VISITED_COLUMNS = [
  "links.code",
  "links.title",
  "links.created_at as createdAt",
  "links.expires_at as expiresAt",
  "links.password_hash as passwordHash",
  "shares.message",
  "users.disabled",
  "users.username",
  "teams.name as team",
] as const;

type LimitColumns = {
  maxBytes: number | null;
  maxFiles: number | null;
  maxFileSize: number | null;
  twoWay: number;
};

/** Null for what takes no files. */
export const dropLimitsIn = ({ maxBytes, maxFiles, maxFileSize, twoWay }: LimitColumns): DropLimits | null =>
  maxFiles === null ? null : { maxBytes: maxBytes ?? 0, maxFiles, maxFileSize, isTwoWay: twoWay !== 0 };

export type ShareChangesRepository = ReturnType<typeof createShareChangesRepository>;

export function createShareChangesRepository({ read, dialect }: Pick<Database, "read" | "dialect">) {
  const recipients = createRecipientsRepository({ read });

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
    lockServing,

    /** Locks a link by its code, and what it serves. Null if it serves nothing. */
    async lockShare(tx: Db, key: string): Promise<{ linkId: number; serves: Serving } | null> {
      const links = tx.selectFrom("links").select("id").where("code", "=", key);
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
        .where("links.code", "=", key)
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

function createServingRows(dialect: Database["dialect"], recipients: Pick<RecipientsRepository, "ofLinks">) {
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
