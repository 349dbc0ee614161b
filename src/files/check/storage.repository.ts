import type { Queries } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { countRows } from "../../platform/db/queries.ts";
import { type StoredBlob, toBlob } from "../blobs/repository.ts";

export type StorageCheckRepository = ReturnType<typeof createStorageCheckRepository>;

export type InconsistentFile = { id: number; accountId: number; name: string; blobId: number | null };

/** Limits are at most 1,000. */
export function createStorageCheckRepository({ read }: Queries) {
  return {
    ...createHolders(read),

    /** A page of blobs by id. */
    async blobs(afterId: number, limit: number): Promise<StoredBlob[]> {
      const query = read.selectFrom("blobs").selectAll().where("id", ">", afterId);
      return (await query.orderBy("id").limit(limit).execute()).map(toBlob);
    },

    countBlobs: (): Promise<number> => countRows(read.selectFrom("blobs")),

    /** Keys in (after, to], by key; null: to the end. */
    async blobsBetween(
      policyId: number,
      after: string,
      through: string | null,
      limit: number,
    ): Promise<StoredBlob[]> {
      const query = read
        .selectFrom("blobs")
        .selectAll()
        .where("object_key", ">", after)
        .$if(through !== null, (one) => one.where("object_key", "<=", through!))
        .where("policy_id", "=", policyId);
      return (await query.orderBy("object_key").limit(limit).execute()).map(toBlob);
    },

    /** A page of files by id, with those in the trash. */
    async holdersAfter(blobId: number, afterId: number, limit: number) {
      const files = read.selectFrom("entries").where("blob_id", "=", blobId).where("id", ">", afterId);
      const query = files.select(["id", "account_id as accountId", "parent_id as parentId"]);
      return query.orderBy("id").limit(limit).execute();
    },

    /** How many contents of a policy are damaged or missing, as far as known. */
    async damage(policyId: number): Promise<{ damaged: number; total: number }> {
      const row = await read
        .selectFrom("blobs")
        .select((eb) => [
          eb.fn.countAll<number>().as("total"),
          eb.fn.count<number>(eb.case().when("state", "=", "damaged").then(1).end()).as("damaged"),
        ])
        .where("policy_id", "=", policyId)
        .where("state", "<>", "dead")
        .executeTakeFirstOrThrow();
      return { damaged: Number(row.damaged), total: Number(row.total) };
    },

    /** Files whose content is gone or differs from their row, by id. */
    async oddFiles(afterId: number, limit: number): Promise<InconsistentFile[]> {
      return read
        .selectFrom("entries")
        .leftJoin("blobs", "blobs.id", "entries.blob_id")
        .select([
          "entries.id",
          "entries.account_id as accountId",
          "entries.name",
          "entries.blob_id as blobId",
        ])
        .where("entries.kind", "=", "file")
        .where("entries.id", ">", afterId)
        .where((eb) =>
          eb.or([
            eb("blobs.id", "is", null),
            eb("blobs.state", "=", "dead"),
            eb("blobs.size", "<>", eb.ref("entries.size")),
            eb.and([
              eb("blobs.state", "<>", "linked"),
              eb.or([eb("blobs.sha256", "<>", eb.ref("entries.sha256")), eb("entries.sha256", "is", null)]),
            ]),
          ]),
        )
        .orderBy("entries.id")
        .limit(limit)
        .execute();
    },

    /** Versions whose content is gone or differs from their row, by id. */
    oddVersions: (afterId: number, limit: number): Promise<InconsistentFile[]> =>
      read
        .selectFrom("file_versions")
        .innerJoin("entries", "entries.id", "file_versions.entry_id")
        .leftJoin("blobs", "blobs.id", "file_versions.blob_id")
        .select(["file_versions.id", "entries.account_id as accountId", "entries.name"])
        .select("file_versions.blob_id as blobId")
        .where("file_versions.id", ">", afterId)
        .where((eb) =>
          eb.or([
            eb("blobs.id", "is", null),
            eb("blobs.state", "=", "dead"),
            eb("blobs.size", "<>", eb.ref("file_versions.size")),
            eb("blobs.sha256", "<>", eb.ref("file_versions.sha256")),
          ]),
        )
        .orderBy("file_versions.id")
        .limit(limit)
        .execute(),

    /** A live blob of the same content in the same policy. */
    async liveTwin({ policyId, sha256, id }: StoredBlob, db: Db = read): Promise<number | null> {
      const query = db
        .selectFrom("blobs")
        .select("id")
        .where("policy_id", "=", policyId)
        .where("sha256", "=", sha256);
      const row = await query.where("retired", "=", 0).where("id", "<>", id).executeTakeFirst();
      return row?.id ?? null;
    },
  };
}

/** The tables whose rows refer to content. */
const HOLDERS = ["entries", "file_versions"] as const;

/** What refers to contents. */
function createHolders(read: Db) {
  return {
    /** Entries and versions per blob; blobs without any are missing. */
    async holders(firstId: number, lastId: number, db: Db = read): Promise<Map<number, number>> {
      const counts = new Map<number, number>();
      for (const table of HOLDERS) {
        const rows = await db
          .selectFrom(table)
          .select((eb) => ["blob_id", eb.fn.countAll<number>().as("n")])
          .where("blob_id", ">=", firstId)
          .where("blob_id", "<=", lastId)
          .groupBy("blob_id")
          .execute();
        for (const { blob_id: id, n } of rows) counts.set(id!, (counts.get(id!) ?? 0) + Number(n));
      }
      return counts;
    },

    /** Names for people. */
    async filesOf(blobId: number, limit: number): Promise<string[]> {
      const files = read.selectFrom("entries").select(["id", "account_id", "name"]);
      const rows = await files.where("blob_id", "=", blobId).orderBy("id").limit(limit).execute();
      const former = await read
        .selectFrom("file_versions")
        .innerJoin("entries", "entries.id", "file_versions.entry_id")
        .select(["entries.id", "entries.account_id", "entries.name", "file_versions.id as version"])
        .where("file_versions.blob_id", "=", blobId)
        .orderBy("file_versions.id")
        .limit(limit - rows.length)
        .execute();
      return [
        ...rows.map((row) => `'${row.name}' (file ${row.id} of account ${row.account_id})`),
        ...former.map(
          (row) => `'${row.name}' (version ${row.version} of file ${row.id} of account ${row.account_id})`,
        ),
      ];
    },

    /** Moves files and versions to a blob of the same content. Returns their number. */
    async moveHolders(tx: Db, from: number, to: number): Promise<number> {
      let moved = 0;
      for (const table of HOLDERS) {
        const query = tx.updateTable(table).set({ blob_id: to }).where("blob_id", "=", from);
        moved += Number((await query.executeTakeFirst()).numUpdatedRows);
      }
      return moved;
    },
  };
}
