import { type Selectable, sql } from "kysely";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { explainViolations } from "../../platform/db/failures.ts";
import { prepared, preparedWrite } from "../../platform/db/prepared.ts";
import type { Schema } from "../../platform/db/schema.ts";
import { appError } from "../../lib/errors.ts";
import { contentTime, type Entry, type Folder, MOST_LEVELS, ROOT, type StoredFile } from "./entry.ts";
import { ownerOfTeam } from "../../lib/owner.ts";
import { foldersInside } from "./paths.repository.ts";

export type EntriesRepository = ReturnType<typeof createEntriesRepository>;

export const ENTRY_COLUMNS = [
  "id",
  "account_id",
  "parent_id",
  "kind",
  "name",
  "policy_id",
  "blob_id",
  "mime_type",
  "sha256",
  "size",
  "versions_bytes",
  "created_by",
  "disk_time",
  "modified_at",
  "created_at",
  "updated_at",
] as const;
type Row = Pick<Selectable<Schema["entries"]>, (typeof ENTRY_COLUMNS)[number]>;
type NewEntry = Omit<Folder, "id"> | Omit<StoredFile, "id" | "versionsBytes">;

/** What an entry counts in the quota: nothing if it lies on the server. */
export const COUNTED_BYTES = sql<number>`case when entries.disk_time is null then entries.size else 0 end`;
/** With their versions. */
export const HELD_BYTES = sql<number>`${COUNTED_BYTES} + entries.versions_bytes`;

export function createEntriesRepository(database: Database) {
  const { read, dialect } = database;
  const children = (accountId: number, parentId: number, kind: Entry["kind"], page: NamePage) =>
    read
      .selectFrom("entries")
      .select(ENTRY_COLUMNS)
      .where("account_id", "=", accountId)
      .where("parent_id", "=", parentId)
      .where("kind", "=", kind)
      .$if(page.after !== null, (query) => query.where("name", ">", page.after!))
      .orderBy("name")
      .limit(page.limit)
      .execute();

  const line = prepared((db, id: number, accountId: number) =>
    db
      .withRecursive("line", (query) =>
        query
          .selectFrom("entries")
          .select([...ENTRY_COLUMNS, sql<number>`0`.as("level")])
          .where("id", "=", id)
          .where("account_id", "=", accountId)
          .unionAll(
            query
              .selectFrom("entries")
              .innerJoin("line", "line.parent_id", "entries.id")
              .select([
                ...ENTRY_COLUMNS.map((column) => `entries.${column}` as const),
                sql<number>`line.level + 1`.as("level"),
              ])
              .where("entries.account_id", "=", accountId)
              .where("line.level", "<", MOST_LEVELS),
          ),
      )
      .selectFrom("line")
      .select(ENTRY_COLUMNS)
      .orderBy("level"),
  );

  return {
    ...createUsageRepository(database),

    height,
    takenNames,
    inside,
    replaceContent,
    named: namedIn(read),

    /**
     * The entry and its ancestors, innermost first, up to the root. Null if the account has no such entry, or it lies
     * in a folder being removed.
     */
    async lineage(accountId: number, id: number, db: Db = read): Promise<[Entry, ...Folder[]] | null> {
      const rows = await line(db, id, accountId);
      if (rows.at(-1)?.parent_id !== ROOT) return null;
      return rows.map(toEntry) as [Entry, ...Folder[]];
    },

    folders: async (accountId: number, parentId: number, page: NamePage): Promise<Folder[]> =>
      (await children(accountId, parentId, "folder", page)).map(toFolder),

    files: async (accountId: number, parentId: number, page: NamePage): Promise<StoredFile[]> =>
      (await children(accountId, parentId, "file", page)).map(toFile),

    async child(accountId: number, parentId: number, name: string, db: Db = read): Promise<Entry | null> {
      const [entry] = await namedIn(db)(accountId, parentId, [name]);
      return entry ?? null;
    },

    async isTaken(accountId: number, parentId: number, name: string, db?: Db): Promise<boolean> {
      return (await this.child(accountId, parentId, name, db)) !== null;
    },

    /** Returns its id. @throws NameConflict */
    insert: (tx: Db, entry: NewEntry): Promise<number> =>
      explainViolations(() => dialect.insertReturningId(tx, "entries", toRow(entry)), {
        unique: (cause) => nameConflict(entry.name, cause),
      }),

    /** @throws NameConflict if one of the names is taken */
    insertMany: (tx: Db, entries: readonly NewEntry[]): Promise<void> =>
      explainViolations(() => dialect.insertMany(tx, "entries", entries.map(toRow)), {
        unique: (cause) => nameConflict(entries[0]!.name, cause),
      }),

    /** Returns their ids, in their order. @throws NameConflict if one of the names is taken */
    async insertAll(tx: Db, entries: readonly NewEntry[]): Promise<number[]> {
      const [first, ...others] = entries;
      if (first === undefined) return [];
      if (others.length === 0) return [await this.insert(tx, first)];
      await this.insertMany(tx, entries);
      const ids = new Map<string, number>();
      for (const [parentId, some] of Map.groupBy(entries, (entry) => entry.parentId)) {
        const names = some.map(({ name }) => name);
        for (const { id, name } of await entriesNamed(tx, first.accountId, parentId, names))
          ids.set(`${parentId}/${name}`, id);
      }
      return entries.map(({ parentId, name }) => ids.get(`${parentId}/${name}`)!);
    },

    /** Name, place, policy and times. @throws NameConflict, PolicyNotFound */
    async update(tx: Db, entry: Entry): Promise<void> {
      const { parent_id, name, policy_id, modified_at, updated_at } = toRow(entry);
      const query = tx.updateTable("entries").set({ parent_id, name, policy_id, modified_at, updated_at });
      await explainViolations(() => query.where("id", "=", entry.id).execute(), {
        unique: (cause) => nameConflict(name, cause),
        foreignKey: (cause) => appError("PolicyNotFound", "There is no such policy.", { cause }),
      });
    },
  };
}

/** Levels of folders from this one down, itself included. */
async function height(accountId: number, folderId: number, db: Db): Promise<number> {
  const { levels } = await db
    .withRecursive("below", (query) =>
      query
        .selectFrom("entries")
        .select(["id", sql<number>`1`.as("level")])
        .where("id", "=", folderId)
        .unionAll(
          query
            // A cross join keeps its order: from the other side each folder would read all entries.
            .selectFrom("below")
            .crossJoin("entries")
            .select(["entries.id", sql<number>`below.level + 1`.as("level")])
            .whereRef("entries.parent_id", "=", "below.id")
            .where("entries.account_id", "=", accountId)
            .where("entries.kind", "=", "folder")
            .where("below.level", "<=", MOST_LEVELS),
        ),
    )
    .selectFrom("below")
    .select((eb) => eb.fn.max<number>("level").as("levels"))
    .executeTakeFirstOrThrow();
  return Number(levels);
}

/** Which of at most 1,000 names are taken. */
async function takenNames(tx: Db, accountId: number, parentId: number, names: readonly string[]) {
  if (names.length === 0) return new Set<string>();
  const rows = await tx
    .selectFrom("entries")
    .select("name")
    .where("account_id", "=", accountId)
    .where("parent_id", "=", parentId)
    .where("name", "in", names)
    .execute();
  return new Set(rows.map(({ name }) => name));
}

/** The entries directly in any of at most 1,000 folders. */
async function inside(tx: Db, accountId: number, parentIds: readonly number[], limit: number) {
  const query = tx.selectFrom("entries").select(ENTRY_COLUMNS).where("account_id", "=", accountId);
  return (await query.where("parent_id", "in", parentIds).limit(limit).execute()).map(toEntry);
}

const entriesNamed = prepared((db, accountId: number, parentId: number, names: readonly string[]) =>
  db
    .selectFrom("entries")
    .select(ENTRY_COLUMNS)
    .where("account_id", "=", accountId)
    .where("parent_id", "=", parentId)
    .where("name", "in", names),
);

/** What has one of at most 1,000 names. */
const namedIn = (db: Db) => async (accountId: number, parentId: number, names: readonly string[]) =>
  (await entriesNamed(db, accountId, parentId, names)).map(toEntry);

async function replaceContent(tx: Db, file: StoredFile): Promise<void> {
  const { blob_id, mime_type, sha256, size, modified_at, created_by, created_at, updated_at } = toRow(file);
  const content = { blob_id, mime_type, sha256, size, modified_at, created_by, created_at, updated_at };
  const set = { ...content, versions_bytes: file.versionsBytes };
  await tx.updateTable("entries").set(set).where("id", "=", file.id).execute();
}

/** Names above `after`, ascending by bytes, at most `limit`. */
export type NamePage = { after: string | null; limit: number };

export const nameConflict = (name: string, cause?: unknown) =>
  appError("NameConflict", `There is already a folder or file "${name}" here; choose another name.`, {
    cause,
  });

const commonOf = (row: Row) => ({
  id: row.id,
  accountId: row.account_id,
  parentId: row.parent_id,
  name: row.name,
  diskTime: row.disk_time,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const toFolder = (row: Row): Folder => ({ kind: "folder", ...commonOf(row), policyId: row.policy_id });

const toFile = (row: Row): StoredFile => ({
  kind: "file",
  ...commonOf(row),
  blobId: row.blob_id ?? 0,
  size: row.size,
  mimeType: row.mime_type ?? "",
  sha256: row.sha256 ?? "",
  versionsBytes: row.versions_bytes,
  createdBy: row.created_by,
  modifiedAt: contentTime({ ...commonOf(row), modifiedAt: row.modified_at }),
});

export const toEntry = (row: Row): Entry => (row.kind === "folder" ? toFolder(row) : toFile(row));

const toRow = (entry: NewEntry) => ({
  account_id: entry.accountId,
  parent_id: entry.parentId,
  kind: entry.kind,
  name: entry.name,
  disk_time: entry.diskTime,
  created_at: entry.createdAt,
  updated_at: entry.updatedAt,
  ...(entry.kind === "folder"
    ? {
        policy_id: entry.policyId,
        blob_id: null,
        mime_type: null,
        sha256: null,
        size: 0,
        modified_at: null,
        created_by: null,
      }
    : {
        policy_id: null,
        blob_id: entry.blobId,
        mime_type: entry.mimeType,
        sha256: entry.sha256,
        size: entry.size,
        created_by: entry.createdBy,
        modified_at: entry.modifiedAt,
      }),
});

/** The used bytes and the quota of an account. */
export type AccountSpace = {
  used: number;
  /** 0 is unlimited; null if the account or team is gone. */
  quota: number | null;
};

/** The bytes of accounts and teams, with those on their way to them. */
function createUsageRepository({ read, dialect }: Database) {
  const lockedSpace = prepared((db, accountId: number) => spaceQuery(db, accountId).$call(dialect.forUpdate));

  return {
    async space(accountId: number): Promise<AccountSpace> {
      const [row] = await spaceOf(read, accountId);
      if (row !== undefined || accountId === 0) return toSpace(accountId, row);
      const owners =
        accountId > 0
          ? read.selectFrom("users").select("quota_bytes").where("id", "=", accountId)
          : read.selectFrom("teams").select("quota_bytes").where("id", "=", ownerOfTeam(accountId));
      return { used: 0, quota: (await owners.executeTakeFirst())?.quota_bytes ?? null };
    },

    /** With versions. */
    async bytesInside(accountId: number, folderId: number): Promise<number> {
      const { bytes } = await read
        .selectFrom("entries")
        .select((eb) => eb.fn.sum<number | null>(HELD_BYTES).as("bytes"))
        .where("account_id", "=", accountId)
        .where("parent_id", "in", foldersInside(accountId, folderId))
        .executeTakeFirstOrThrow();
      return Number(bytes ?? 0);
    },

    /** Locks the account's usage until the transaction ends. */
    async lock(tx: Db, accountId: number): Promise<AccountSpace> {
      const [row] = await lockedSpace(tx, accountId);
      if (row !== undefined) return toSpace(accountId, row);
      await dialect.insertIgnore(
        tx,
        "account_usage",
        ["account_id"],
        [{ account_id: accountId, bytes: 0, moves: 0 }],
      );
      return toSpace(accountId, (await lockedSpace(tx, accountId))[0]);
    },

    /** An entry got another folder: a reader of several folders may have missed it. */
    async countMove(tx: Db, accountId: number): Promise<void> {
      const query = tx.updateTable("account_usage").set((eb) => ({ moves: eb("moves", "+", 1) }));
      await query.where("account_id", "=", accountId).execute();
    },

    async addUsage(tx: Db, accountId: number, bytes: number): Promise<void> {
      if (bytes !== 0) await addBytes(tx, accountId, bytes);
    },
  };
}

const addBytes = preparedWrite((tx, accountId: number, bytes: number) =>
  tx
    .updateTable("account_usage")
    .set((eb) => ({ bytes: eb("bytes", "+", bytes) }))
    .where("account_id", "=", accountId),
);

const spaceQuery = (db: Db, accountId: number) =>
  db
    .selectFrom("account_usage")
    .select(({ selectFrom }) => [
      "bytes",
      selectFrom("users")
        .select("quota_bytes")
        .whereRef("users.id", "=", "account_usage.account_id")
        .as("quota"),
      selectFrom("teams")
        .select("quota_bytes")
        .where("teams.id", "=", sql<number>`-1 - account_usage.account_id`)
        .as("teamQuota"),
      selectFrom("transfers")
        .select(({ fn }) => fn.sum<number>("transfers.bytes").as("n"))
        .whereRef("transfers.to_id", "=", "account_usage.account_id")
        .as("coming"),
    ])
    .where("account_id", "=", accountId);

const spaceOf = prepared(spaceQuery);

const toSpace = (
  accountId: number,
  row: { bytes: number; quota: number | null; teamQuota: number | null; coming: number | null } | undefined,
): AccountSpace => ({
  used: (row?.bytes ?? 0) + Number(row?.coming ?? 0),
  quota: accountId === 0 ? 0 : (row?.quota ?? row?.teamQuota ?? null),
});
