import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import type { RowFields } from "../../platform/db/schema.ts";
import { diskLineFrom } from "../blobs/repository.ts";
import { newContentGeneration } from "../storage/object-key.ts";
import type { DiskItem, KnownItem } from "../storage/disk.ts";
import { type Entry, TRASH } from "../tree/entry.ts";
import type { Removable } from "../tree/removal.repository.ts";

export type LinkedRepository = ReturnType<typeof createLinkedRepository>;

/** A folder of a tree that shows a linked policy. */
export type LinkedRoot = RowFields<"linked_folders"> & {
  accountId: number;
  name: string;
  policyId: number;
  rescanMinutes: number;
};

/** A mirrored entry to be made. */
export type NewItem = { item: DiskItem; name: string; mimeType: string };

/** Continues after this one; folders come after files. */
export type AfterItem = { kind: string; name: string };

/** `parentId`: null for the root. */
type MirroredPlace = { rootId: number; policyId: number; names: string[]; parentId: number | null };

type Folder = { accountId: number; id: number };

const LARGEST_MS = 253_402_300_799_999;
const MICROSECONDS = 1_000;

/** Milliseconds that dates can have. */
const shownTime = (time: number): number => Math.min(Math.floor(time / MICROSECONDS), LARGEST_MS);

const lineOfEntry = diskLineFrom("id");

export const createLinkedRepository = (database: Database, tag: () => Promise<number>) => ({
  ...createRoots(database),
  ...createMirrored(database),
  ...createMirrorRows(database, tag),
  ...changedHere,
});

function createRoots({ read }: Database) {
  const query = (db: Db) =>
    db
      .selectFrom("linked_folders")
      .innerJoin("entries", "entries.id", "linked_folders.entry_id")
      .innerJoin("policies", "policies.id", "entries.policy_id")
      .select([
        "linked_folders.entry_id as entryId",
        "linked_folders.inode",
        "linked_folders.scanned_at as scannedAt",
        "linked_folders.files",
        "linked_folders.trouble",
        "entries.account_id as accountId",
        "entries.name",
        "policies.id as policyId",
      ])
      .select((eb) => eb.fn.coalesce("policies.rescan_minutes", eb.lit(0)).as("rescanMinutes"));
  return {
    /** Those of a policy, or all, by id. There are few. */
    async roots(policyId?: number): Promise<LinkedRoot[]> {
      return query(read)
        .$if(policyId !== undefined, (some) => some.where("policies.id", "=", policyId!))
        .orderBy("linked_folders.entry_id")
        .limit(1_000)
        .execute();
    },

    async root(entryId: number, db: Db = read): Promise<LinkedRoot | null> {
      return (await query(db).where("linked_folders.entry_id", "=", entryId).executeTakeFirst()) ?? null;
    },

    async addRoot(tx: Db, entryId: number): Promise<void> {
      const row = { entry_id: entryId, inode: null, scanned_at: 0, files: 0, trouble: null };
      await tx.insertInto("linked_folders").values(row).execute();
    },

    async updateRoot(
      db: Db,
      entryId: number,
      { scannedAt, ...set }: Partial<Pick<LinkedRoot, "inode" | "scannedAt" | "files" | "trouble">>,
    ): Promise<void> {
      const values = { ...set, ...(scannedAt !== undefined && { scanned_at: scannedAt }) };
      await db.updateTable("linked_folders").set(values).where("entry_id", "=", entryId).execute();
    },
  };
}

function createMirrored({ read }: Database) {
  return {
    /** A page of what is known of a folder, files before folders. */
    async page({ accountId, id }: Folder, after: AfterItem | null, limit: number) {
      const rows = await read
        .selectFrom("entries")
        .select(["id", "kind", "name", "disk_name as diskName", "size", "disk_time as diskTime"])
        .where("account_id", "=", accountId)
        .where("parent_id", "=", id)
        .$if(after !== null, (query) =>
          query.where((eb) =>
            eb.or([
              eb("kind", ">", after!.kind),
              eb.and([eb("kind", "=", after!.kind), eb("name", ">", after!.name)]),
            ]),
          ),
        )
        .orderBy("kind")
        .orderBy("name")
        .limit(limit)
        .execute();
      const last = rows.at(-1);
      return {
        items: rows.map(
          ({ id: entryId, kind, name, diskName, size, diskTime }): KnownItem => ({
            id: entryId,
            kind: kind === "folder" ? "folder" : "file",
            name: diskName ?? name,
            size,
            time: diskTime ?? 0,
          }),
        ),
        next: rows.length === limit && last !== undefined ? { kind: last.kind, name: last.name } : null,
      };
    },

    /** From the root down to a mirrored entry, without the root. */
    async namesOf(entryId: number, db: Db = read): Promise<MirroredPlace | null> {
      const rows = await lineOfEntry(db, entryId);
      const [root, ...below] = rows;
      if (root === undefined || root.policyId === null) return null;
      const { id: rootId, policyId } = root;
      return { rootId, policyId, names: below.map(({ name }) => name), parentId: rows.at(-2)?.id ?? null };
    },

    /** Of these entries, those that are still in the folder under the name that was known. */
    async removable(tx: Db, { accountId, id }: Folder, gone: readonly KnownItem[]): Promise<Removable[]> {
      const names = new Map(gone.map((one) => [one.id, one.name]));
      const found = await tx
        .selectFrom("entries")
        .select(["id", "kind", "blob_id as blobId"])
        .select((eb) => eb.fn.coalesce("disk_name", "name").as("name"))
        .where("account_id", "=", accountId)
        .where("parent_id", "=", id)
        .where("disk_time", "is not", null)
        .where("id", "in", [...names.keys()])
        .execute();
      const rows = found.filter(({ id: entryId, name }) => names.get(entryId) === name);
      return rows.map(({ id: entryId, blobId, kind }) => ({
        id: entryId,
        blobId,
        size: 0,
        versionsBytes: 0,
        kind: kind === "folder" ? "folder" : "file",
      }));
    },

    /** Which of these names on the disk are shown by the folder already. */
    async shown(tx: Db, { accountId, id }: Folder, items: readonly NewItem[]): Promise<Set<string>> {
      if (items.length === 0) return new Set();
      const names = items.map(({ name }) => name);
      const others = items.filter(({ item, name }) => item.name !== name).map(({ item }) => item.name);
      const rows = await tx
        .selectFrom("entries")
        .select((eb) => eb.fn.coalesce("disk_name", "name").as("name"))
        .where("account_id", "=", accountId)
        .where("parent_id", "=", id)
        .where((eb) =>
          eb.or([eb("name", "in", names), ...(others.length > 0 ? [eb("disk_name", "in", others)] : [])]),
        )
        .execute();
      return new Set(rows.map((row) => row.name));
    },
  };
}

/** Entries that change on the disk through Waymark. */
const changedHere = {
  async setDiskName(tx: Db, id: number, diskName: string | null): Promise<void> {
    await tx.updateTable("entries").set({ disk_name: diskName }).where("id", "=", id).execute();
  },

  /** The policy of a folder in the trash says where it lies. */
  async setPolicy(tx: Db, { id, kind }: Pick<Entry, "id" | "kind">, policyId: number | null): Promise<void> {
    if (kind === "folder")
      await tx.updateTable("entries").set({ policy_id: policyId }).where("id", "=", id).execute();
  },

  /** Which of at most 1,000 entries of the trash lie on the server. */
  async trashed(tx: Db, ids: readonly number[]) {
    if (ids.length === 0) return [];
    const rows = await tx
      .selectFrom("entries")
      .leftJoin("blobs", "blobs.id", "entries.blob_id")
      .leftJoin("linked_folders", "linked_folders.entry_id", "entries.id")
      .select(["entries.id", "entries.kind", "entries.disk_name as diskName"])
      .select((eb) => eb.fn.coalesce("entries.policy_id", "blobs.policy_id").as("policyId"))
      .where("entries.id", "in", ids)
      .where("entries.parent_id", "=", TRASH)
      .where("entries.disk_time", "is not", null)
      .where("linked_folders.entry_id", "is", null)
      .execute();
    return rows.flatMap(({ policyId, kind, ...row }) =>
      policyId === null
        ? []
        : [{ ...row, policyId, kind: kind === "folder" ? ("folder" as const) : ("file" as const) }],
    );
  },
};

function createMirrorRows({ dialect }: Database, tag: () => Promise<number>) {
  /** Rows of content that lies elsewhere, one a file. */
  async function insertBlobs(tx: Db, policyId: number, items: readonly DiskItem[], now: number) {
    const ofInstallation = await tag();
    const rows = items.map(({ size }) => {
      const generation = newContentGeneration(ofInstallation);
      const random = crypto.randomUUID();
      return {
        policy_id: policyId,
        sha256: random,
        generation,
        retired: generation,
        size,
        refs: 1,
        state: "linked",
        object_key: `linked/${random}`,
        checked_at: now,
        created_at: now,
      };
    });
    if (rows.length === 0) return [];
    await dialect.insertMany(tx, "blobs", rows);
    const keys = rows.map((row) => row.object_key);
    const found = await tx
      .selectFrom("blobs")
      .select(["id", "object_key"])
      .where("object_key", "in", keys)
      .execute();
    const ids = new Map(found.map((row) => [row.object_key, row.id]));
    return keys.map((key) => ids.get(key)!);
  }

  return {
    /** Adds files and folders with names that are free. */
    async insert(
      tx: Db,
      { accountId, id, policyId }: Folder & { policyId: number },
      items: readonly NewItem[],
      now: number,
    ): Promise<void> {
      const files = items.filter(({ item }) => item.kind === "file");
      const blobIds = await insertBlobs(
        tx,
        policyId,
        files.map(({ item }) => item),
        now,
      );
      const blobs = new Map(files.map(({ item }, at) => [item, blobIds[at]!]));
      const rows = items.map(({ item, name, mimeType }) => ({
        account_id: accountId,
        parent_id: id,
        kind: item.kind,
        name,
        policy_id: null,
        blob_id: blobs.get(item) ?? null,
        mime_type: item.kind === "file" ? mimeType : null,
        sha256: null,
        size: item.size,
        disk_time: item.time,
        disk_name: item.name === name ? null : item.name,
        created_at: item.kind === "file" ? shownTime(item.time) : now,
        updated_at: item.kind === "file" ? shownTime(item.time) : now,
      }));
      await dialect.insertMany(tx, "entries", rows);
    },

    /** Gives files other content. Returns the ids of the blobs that they had. */
    async change(
      tx: Db,
      { accountId, id, policyId }: Folder & { policyId: number },
      changed: readonly KnownItem[],
      now: number,
    ): Promise<number[]> {
      const rows = await tx
        .selectFrom("entries")
        .select(["id", "blob_id as blobId"])
        .where("account_id", "=", accountId)
        .where("parent_id", "=", id)
        .where("kind", "=", "file")
        .where("disk_time", "is not", null)
        .where(
          "id",
          "in",
          changed.map((one) => one.id),
        )
        .execute();
      const former = new Map(rows.map((row) => [row.id, row.blobId]));
      const there = changed.filter((one) => former.has(one.id));
      if (there.length === 0) return [];
      const blobIds = await insertBlobs(tx, policyId, there, now);
      const set = ["blob_id", "sha256", "size", "disk_time", "created_at", "updated_at"] as const;
      const values = there.map((item, at) => ({
        id: item.id,
        blob_id: blobIds[at]!,
        sha256: null,
        size: item.size,
        disk_time: item.time,
        created_at: shownTime(item.time),
        updated_at: shownTime(item.time),
      }));
      await dialect.updateMany(tx, { table: "entries", key: "id", set }, values);
      return there.flatMap((item) => former.get(item.id) ?? []);
    },

    /** Keeps the hash of a file while its content is the same. */
    async setSha256(tx: Db, { id, blobId }: { id: number; blobId: number }, sha256: string): Promise<void> {
      await tx
        .updateTable("entries")
        .set({ sha256 })
        .where("id", "=", id)
        .where("blob_id", "=", blobId)
        .execute();
    },
  };
}
