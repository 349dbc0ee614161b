import type { Selectable, SelectQueryBuilder } from "kysely";
import type { Queries } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { countRows } from "../../platform/db/queries.ts";
import type { RowFields, Schema } from "../../platform/db/schema.ts";
import { camelCased, snakeCased } from "../../lib/case-names.ts";
import { type StoredBlob, toBlob } from "../blobs/repository.ts";
import type { MoveState } from "../policies/policy.ts";

/** A move of a policy's content to another policy. */
export type StorageMove = RowFields<"storage_moves", { state: MoveState }>;

/** Content that stays, with the reason. */
export type FailedContent = { blobId: number; sha256: string; reason: string };

export type Amount = { objects: number; bytes: number };

export type MovingRepository = ReturnType<typeof createMovingRepository>;

/** Limits are at most 1,000. */
export const createMovingRepository = (database: Queries) => ({
  ...moveRows(database),
  ...remainder(database),
  ...relocation(database),
});

const toMove = (row: Selectable<Schema["storage_moves"]>): StorageMove => ({
  ...camelCased(row),
  state: row.state as MoveState,
});

function moveRows({ read, write, dialect }: Queries) {
  return {
    async find(policyId: number, db: Db = read): Promise<StorageMove | null> {
      const query = db.selectFrom("storage_moves").selectAll().where("policy_id", "=", policyId);
      const row = await query.executeTakeFirst();
      return row === undefined ? null : toMove(row);
    },

    /** Locked until the transaction ends. */
    async lock(tx: Db, policyId: number): Promise<StorageMove | null> {
      const query = tx.selectFrom("storage_moves").selectAll().where("policy_id", "=", policyId);
      const row = await query.$call(dialect.forUpdate).executeTakeFirst();
      return row === undefined ? null : toMove(row);
    },

    async running(db: Db = read): Promise<StorageMove[]> {
      const query = db.selectFrom("storage_moves").selectAll().where("state", "=", "running");
      return (await query.orderBy("policy_id").execute()).map(toMove);
    },

    async put(tx: Db, move: StorageMove): Promise<void> {
      const { policy_id, ...columns } = snakeCased(move);
      const set = Object.keys(columns) as (keyof typeof columns)[];
      await dialect.upsert(tx, { table: "storage_moves", keys: ["policy_id"], set }, [
        { policy_id, ...columns },
      ]);
    },

    /** From here on the speed is measured. */
    async begin(policyId: number, now: number): Promise<void> {
      await write
        .updateTable("storage_moves")
        .set(({ ref }) => ({
          begun_at: now,
          begun_objects: ref("objects_done"),
          begun_bytes: ref("bytes_done"),
        }))
        .where("policy_id", "=", policyId)
        .execute();
    },

    async setTrouble(policyId: number, trouble: string): Promise<void> {
      await write.updateTable("storage_moves").set({ trouble }).where("policy_id", "=", policyId).execute();
    },

    /** Counts what has moved. The move does not wait any more. */
    async countDone(tx: Db, policyId: number, { objects, bytes }: Amount): Promise<void> {
      await tx
        .updateTable("storage_moves")
        .set((eb) => ({
          objects_done: eb("objects_done", "+", objects),
          bytes_done: eb("bytes_done", "+", bytes),
          trouble: null,
        }))
        .where("policy_id", "=", policyId)
        .execute();
    },

    /** Folders that name the old policy name the new one, which also becomes the default in its place. */
    async replacePolicy(tx: Db, { policyId, toId }: StorageMove): Promise<void> {
      await tx.updateTable("entries").set({ policy_id: toId }).where("policy_id", "=", policyId).execute();
      const policies = tx.updateTable("policies");
      const former = policies
        .set({ is_default: null })
        .where("id", "=", policyId)
        .where("is_default", "=", 1);
      const { numUpdatedRows } = await former.executeTakeFirst();
      if (numUpdatedRows > 0n) await policies.set({ is_default: 1 }).where("id", "=", toId).execute();
    },
  };
}

/** What is left of a policy. */
function remainder({ read, write, dialect }: Queries) {
  const contents = (db: Db, policyId: number) =>
    db
      .selectFrom("blobs")
      .leftJoin("storage_move_failures as failed", "failed.blob_id", "blobs.id")
      .where("blobs.policy_id", "=", policyId)
      .where("blobs.state", "in", ["live", "damaged"])
      .where("failed.blob_id", "is", null);

  return {
    /** Without content that could not be moved. */
    async left(policyId: number, db: Db = read): Promise<Amount> {
      const row = await contents(db, policyId)
        .select(({ fn, lit }) => [
          fn.countAll<number>().as("objects"),
          fn.coalesce(fn.sum<number>("blobs.size"), lit(0)).as("bytes"),
        ])
        .executeTakeFirstOrThrow();
      return { objects: Number(row.objects), bytes: Number(row.bytes) };
    },

    /** A page by SHA-256, after the given one. */
    async next(policyId: number, after: string, limit: number): Promise<StoredBlob[]> {
      const page = contents(read, policyId).where("blobs.sha256", ">", after);
      const rows = await page.selectAll("blobs").orderBy("blobs.sha256").limit(limit).execute();
      return rows.map(toBlob);
    },

    /** Resumable uploads that began in the policy. */
    uploadsLeft: (policyId: number, db: Db = read): Promise<number> =>
      countRows(
        db
          .selectFrom("uploads")
          .where("policy_id", "=", policyId)
          .where((eb) => eb.or([eb("size", "is", null), eb("received", "<", eb.ref("size"))])),
      ),

    /** Those without a byte, which can begin anywhere. */
    async emptyUploads(policyId: number, limit: number): Promise<string[]> {
      const query = read.selectFrom("uploads").select("id").where("policy_id", "=", policyId);
      return (await query.where("received", "=", 0).orderBy("id").limit(limit).execute()).map(({ id }) => id);
    },

    async moveUpload(id: string, { policyId, toId }: StorageMove): Promise<void> {
      const query = write.updateTable("uploads").set({ policy_id: toId }).where("id", "=", id);
      await query.where("policy_id", "=", policyId).where("received", "=", 0).execute();
    },

    /** Until when the objects of moved content stay; null: they are gone. */
    async keptUntil(policyId: number, db: Db = read): Promise<number | null> {
      const query = db.selectFrom("blobs").where("policy_id", "=", policyId).where("state", "=", "dead");
      const { until } = await query
        .select(({ fn }) => fn.max<number | null>("kept_until").as("until"))
        .executeTakeFirstOrThrow();
      return until === null ? null : Number(until);
    },

    async fail({ id, policyId }: StoredBlob, reason: string): Promise<void> {
      const row = { blob_id: id, policy_id: policyId, reason: reason.slice(0, 1_000) };
      const table = { table: "storage_move_failures", keys: ["blob_id"], set: ["reason"] } as const;
      await dialect.upsert(write, table, [row]);
    },

    /** They are tried again. */
    async forgetFailures(tx: Db, policyId: number): Promise<void> {
      await tx.deleteFrom("storage_move_failures").where("policy_id", "=", policyId).execute();
    },

    async failed(policyId: number, limit: number): Promise<{ total: number; failed: FailedContent[] }> {
      const all = read.selectFrom("storage_move_failures as failed").where("failed.policy_id", "=", policyId);
      const query = all.innerJoin("blobs", "blobs.id", "failed.blob_id");
      const columns = ["blobs.id as blobId", "blobs.sha256", "failed.reason"] as const;
      return {
        total: await countRows(all),
        failed: await query.select(columns).orderBy("blobs.sha256").limit(limit).execute(),
      };
    },
  };
}

function relocation({ read }: Queries) {
  const holders = (blobId: number) => ({
    files: read.selectFrom("entries").where("entries.blob_id", "=", blobId),
    versions: read
      .selectFrom("file_versions")
      .innerJoin("entries", "entries.id", "file_versions.entry_id")
      .where("file_versions.blob_id", "=", blobId),
  });

  return {
    /** The row gets another object. A dead row keeps the former one until `keptUntil`. */
    async relocate(
      tx: Db,
      { id, policyId, sha256, size, generation, objectKey }: StoredBlob,
      to: Pick<StoredBlob, "policyId" | "generation" | "objectKey">,
      { now, keptUntil }: { now: number; keptUntil: number },
    ): Promise<void> {
      await tx
        .updateTable("blobs")
        .set({ ...snakeCased(to), checked_at: now })
        .where("id", "=", id)
        .execute();
      const former = { policy_id: policyId, sha256, size, generation, object_key: objectKey };
      const dead = { retired: generation, refs: 0, state: "dead", checked_at: 0, created_at: now };
      await tx
        .insertInto("blobs")
        .values({ ...former, ...dead, kept_until: keptUntil })
        .execute();
    },

    /** Whose files and versions have the content, ascending. */
    async accountsOf(blobId: number, limit: number): Promise<number[]> {
      const { files, versions } = holders(blobId);
      const of = async (query: SelectQueryBuilder<Schema, "entries", object>) =>
        (await query.select("entries.account_id as id").distinct().orderBy("id").limit(limit).execute()).map(
          (row) => row.id,
        );
      const found = new Set([...(await of(files)), ...(await of(versions as never))]);
      return [...found].sort((a, b) => a - b).slice(0, limit);
    },

    /** Gives files and versions of these accounts the other blob. Returns their number. */
    async moveHolders(tx: Db, accounts: readonly number[], from: number, to: number): Promise<number> {
      const files = tx.updateTable("entries").set({ blob_id: to }).where("blob_id", "=", from);
      const theirs = tx.selectFrom("entries").select("id").where("account_id", "in", accounts);
      const versions = tx.updateTable("file_versions").set({ blob_id: to }).where("blob_id", "=", from);
      const moved = [
        await files.where("account_id", "in", accounts).executeTakeFirst(),
        await versions.where("entry_id", "in", theirs).executeTakeFirst(),
      ];
      return moved.reduce((sum, { numUpdatedRows }) => sum + Number(numUpdatedRows), 0);
    },

    /** Nobody has it any more. */
    async retire(tx: Db, id: number, keptUntil: number): Promise<void> {
      await tx
        .updateTable("blobs")
        .set(({ ref }) => ({ refs: 0, state: "dead", retired: ref("generation"), kept_until: keptUntil }))
        .where("id", "=", id)
        .execute();
    },
  };
}
