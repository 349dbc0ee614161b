import { camelCased, snakeCased } from "../../lib/case-names.ts";
import type { Selectable } from "kysely";
import type { Database } from "../../platform/db/database.ts";
import type { MatchConditions } from "../../platform/http/entity-tag.ts";
import type { Db } from "../../platform/db/dialect.ts";
import type { Schema } from "../../platform/db/schema.ts";
import type { DropUploader, UnfinishedInDrop } from "./drop-upload.ts";

/** A complete upload has become a file and stays for clients that missed the response. */
export type Upload = {
  /** A lower-case UUID. */
  id: string;
  accountId: number;
  /** ROOT or a folder's id. */
  parentId: number;
  name: string;
  mimeType: string;
  /** Upload-Metadata as sent. */
  metadata: string;
  /** Under which the upload replaces a file, from the request that began it. */
  conditions: MatchConditions | null;
  /** The size; null until the client has sent it. */
  size: number | null;
  /** Durable bytes. */
  received: number;
  policyId: number;
  /** The file's; null: when the upload ends. */
  modifiedAt: number | null;
  createdAt: number;
  expiresAt: number;
  /** The stranger who uploads; null for the account itself. */
  drop: DropUploader | null;
};

export type TusRepository = ReturnType<typeof createTusRepository>;

/** One request at a time may change an upload. */
export const uploadLease = (id: string): string => `upload:${id}`;

export function createTusRepository({ read, write }: Pick<Database, "read" | "write">) {
  return {
    ...inDrops(read),

    async insert(tx: Db, upload: Upload): Promise<void> {
      await tx.insertInto("uploads").values(toRow(upload)).execute();
    },

    async find(id: string, db: Db = read): Promise<Upload | null> {
      const row = await db.selectFrom("uploads").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : toUpload(row);
    },

    /**
     * The bytes are those that count in the quota: with what strangers have sent, without uploads into a folder of the
     * server. The count does not include strangers' uploads.
     */
    async unfinished(accountId: number, tx: Db = read): Promise<{ count: number; bytes: number }> {
      const row = await unfinishedOf(tx, accountId)
        .leftJoin("entries as folder", "folder.id", "uploads.folder_id")
        .select((eb) => [
          eb.fn.sum(eb.case().when("drop_link_id", "is", null).then(1).else(0).end()).as("count"),
          eb.fn
            .sum(
              eb
                .case()
                .when("folder.disk_time", "is not", null)
                .then(0)
                .when("drop_link_id", "is", null)
                .then(eb.fn.coalesce("uploads.size", "uploads.received"))
                .else(eb.ref("uploads.received"))
                .end(),
            )
            .as("bytes"),
        ])
        .executeTakeFirstOrThrow();
      return { count: Number(row.count ?? 0), bytes: Number(row.bytes ?? 0) };
    },

    /** Sets the size of an upload that had none. */
    async setSize(tx: Db, id: string, size: number): Promise<void> {
      await tx.updateTable("uploads").set({ size }).where("id", "=", id).where("size", "is", null).execute();
    },

    /** False if the upload has changed. */
    advance(was: Upload, received: number, expiresAt: number): Promise<boolean> {
      return change(write, was, { received, expires_at: expiresAt });
    },

    /** All bytes are there, and became a file in the same transaction. False if the upload has changed. */
    complete(tx: Db, was: Upload, size: number, expiresAt: number): Promise<boolean> {
      return change(tx, was, { received: size, size, expires_at: expiresAt });
    },

    async remove(id: string): Promise<void> {
      await write.deleteFrom("uploads").where("id", "=", id).execute();
      await write.deleteFrom("leases").where("name", "=", uploadLease(id)).execute();
    },

    /**
     * Removes leases of uploads that are gone, made by requests that came just too late. Takes a page by name above
     * `after` and returns where it ended; null at the end.
     */
    async forgetLeases(now: number, after: string, limit: number): Promise<string | null> {
      const free = await read
        .selectFrom("leases")
        .select("name")
        .where("name", ">", after)
        .where("name", "like", `${uploadLease("")}%`)
        .where("expires_at", "<=", now)
        .orderBy("name")
        .limit(limit)
        .execute();
      const names = free.map(({ name }) => name);
      if (names.length === 0) return null;
      const ids = names.map((name) => name.slice(uploadLease("").length));
      const known = await read.selectFrom("uploads").select("id").where("id", "in", ids).execute();
      const kept = new Set(known.map(({ id }) => uploadLease(id)));
      const gone = names.filter((name) => !kept.has(name));
      if (gone.length > 0) {
        const query = write.deleteFrom("leases").where("name", "in", gone);
        await query.where("expires_at", "<=", now).execute();
      }
      return names.length < limit ? null : names.at(-1)!;
    },

    /** Expired uploads in the order of their ids, above `after`. */
    async expired(now: number, after: string, limit: number): Promise<Upload[]> {
      const rows = await read
        .selectFrom("uploads")
        .selectAll()
        .where("expires_at", "<=", now)
        .where("id", ">", after)
        .orderBy("id")
        .limit(limit)
        .execute();
      return rows.map(toUpload);
    },
  };
}

/** What strangers have begun. */
function inDrops(read: Db) {
  return {
    /** The bytes are those that have come. */
    async unfinishedInDrop(
      accountId: number,
      { linkId, sender = "", address = "" }: { linkId: number; sender?: string; address?: string },
      db: Db = read,
    ): Promise<UnfinishedInDrop> {
      const row = await unfinishedOf(db, accountId)
        .select((eb) => [
          eb.fn.countAll().as("count"),
          eb.fn.sum("received").as("bytes"),
          eb.fn.sum(eb.case().when("sender", "=", sender).then(1).else(0).end()).as("ofSender"),
          eb.fn.sum(eb.case().when("sender_address", "=", address).then(1).else(0).end()).as("ofAddress"),
        ])
        .where("drop_link_id", "=", linkId)
        .executeTakeFirstOrThrow();
      const [count, bytes, ofSender, ofAddress] = [row.count, row.bytes, row.ofSender, row.ofAddress].map(
        Number,
      );
      return { count: count!, bytes: bytes!, ofSender: ofSender!, ofAddress: ofAddress! };
    },

    /**
     * Bytes that have come for unfinished uploads into a drop box, as far as they take room from this one. The oldest
     * counts its own alone, so one can always end, and all together hold twice the room at most.
     */
    async heldInDrop(accountId: number, linkId: number, id: string) {
      const ofBox = unfinishedOf(read, accountId).where("drop_link_id", "=", linkId);
      const byAge = ofBox.select(["id", "received"]).orderBy("created_at").orderBy("id");
      const oldest = await byAge.limit(1).executeTakeFirst();
      if (oldest?.id === id) return { bytes: oldest.received, areOwn: true };
      const { bytes } = await this.unfinishedInDrop(accountId, { linkId });
      return { bytes, areOwn: false };
    },
  };
}

async function change(
  db: Db,
  was: Upload,
  next: Partial<Pick<Row, "received" | "size" | "expires_at">>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("uploads")
    .set(next)
    .where("id", "=", was.id)
    .where("received", "=", was.received)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

const unfinishedOf = (tx: Db, accountId: number) =>
  tx
    .selectFrom("uploads")
    .where("uploads.account_id", "=", accountId)
    .where((eb) =>
      eb.or([eb("uploads.received", "<", eb.ref("uploads.size")), eb("uploads.size", "is", null)]),
    );

type Row = Selectable<Schema["uploads"]>;

const toUpload = (row: Row): Upload => {
  const { folder_id, drop_link_id, sender, sender_name, sender_email, sender_address, path, ...rest } = row;
  // A header has no line end.
  const [metadata = "", conditions] = row.metadata.split("\n");
  const sent = {
    sender: sender ?? "",
    senderName: sender_name,
    senderEmail: sender_email,
    address: sender_address ?? "",
    path,
  };
  return {
    ...camelCased(rest),
    metadata,
    conditions: conditions === undefined ? null : (JSON.parse(conditions) as MatchConditions),
    parentId: folder_id,
    drop: drop_link_id === null ? null : { linkId: drop_link_id, ...sent },
  };
};

const toRow = ({ parentId, drop, conditions, ...upload }: Upload): Row => ({
  ...snakeCased(upload),
  metadata: conditions === null ? upload.metadata : `${upload.metadata}\n${JSON.stringify(conditions)}`,
  folder_id: parentId,
  drop_link_id: drop?.linkId ?? null,
  sender: drop?.sender ?? null,
  sender_name: drop?.senderName ?? null,
  sender_email: drop?.senderEmail ?? null,
  sender_address: drop?.address ?? null,
  path: drop?.path ?? null,
});
