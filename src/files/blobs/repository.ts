import { type Insertable, type Selectable, sql } from "kysely";
import type { Queries } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { prepared } from "../../platform/db/prepared.ts";
import { unlessTaken } from "../../platform/db/queries.ts";
import type { RowFields, Schema } from "../../platform/db/schema.ts";
import { camelCased } from "../../lib/case-names.ts";
import type { DiskFile } from "../storage/disk.ts";
import { foundInChunks } from "../../lib/chunked.ts";

export type BlobsRepository = ReturnType<typeof createBlobsRepository>;

export type NewBlob = Pick<StoredBlob, "policyId" | "sha256" | "generation" | "size" | "objectKey">;

const CHUNK = 1_000;

/** Arrays of any length, in statements of 1,000. Limits are at most 1,000. */
export const createBlobsRepository = (database: Queries) => ({
  ...references(database),
  ...states(database),
});

/** Who has a blob. */
function references({ read, write, dialect }: Queries) {
  return {
    async find(id: number, db: Db = read): Promise<StoredBlob | null> {
      const [row] = await blobOf(db, id);
      return row === undefined ? null : toBlob(row);
    },

    /** Where a linked file lies; null if it does not any more. */
    async diskFile(id: number): Promise<(DiskFile & { policyId: number }) | null> {
      const [root, ...below] = await lineOfFile(read, id);
      if (root === undefined || root.policyId === null || below.length === 0) return null;
      return { policyId: root.policyId, names: below.map(({ name }) => name), time: below.at(-1)!.diskTime! };
    },

    /** Locked until the transaction ends. */
    async lock(tx: Db, id: number): Promise<StoredBlob | null> {
      const query = tx.selectFrom("blobs").selectAll().where("id", "=", id);
      const row = await query.$call(dialect.forUpdate).executeTakeFirst();
      return row === undefined ? null : toBlob(row);
    },

    /**
     * Adds a reference per entry to the live blob of its content, or to the given one. Returns the blobs in order.
     * Under any concurrency there is one live blob per content with the right count.
     */
    async join(tx: Db, given: readonly NewBlob[], now: number): Promise<StoredBlob[]> {
      const rows = new Map<string, Insertable<Schema["blobs"]>>();
      for (const { policyId, sha256, generation, size, objectKey } of given) {
        const content = contentOf(policyId, sha256);
        const refs = (rows.get(content)?.refs ?? 0) + 1;
        const row = {
          policy_id: policyId,
          sha256,
          generation,
          retired: 0,
          size,
          state: "live",
          object_key: objectKey,
          checked_at: now,
          created_at: now,
        };
        rows.set(content, { ...(rows.get(content) ?? row), refs });
      }
      // One order prevents deadlocks.
      const sorted = [...rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
      const keys = ["policy_id", "sha256", "retired"] as const;
      await dialect.upsert(tx, { table: "blobs", keys, add: ["refs"] }, sorted);
      const policies = [...new Set(sorted.map((row) => row.policy_id))];
      const hashes = sorted.map(({ sha256 }) => sha256);
      const found = await foundInChunks(hashes, CHUNK, (chunk) => liveWith(tx, policies, chunk));
      const live = new Map(found.map((row) => [contentOf(row.policy_id, row.sha256), toBlob(row)]));
      return given.map(({ policyId, sha256 }) => live.get(contentOf(policyId, sha256))!);
    },

    /** To blobs that have some, by id. */
    async addRefs(tx: Db, counts: ReadonlyMap<number, number>): Promise<void> {
      const counter = { table: "blobs", key: "id", column: "refs" } as const;
      await dialect.addToCounters(tx, counter, [...counts.keys()], [...counts.values()]);
    },

    /** References to release per id. Returns the blobs without any, now dead. */
    async release(tx: Db, counts: ReadonlyMap<number, number>): Promise<DeadBlob[]> {
      const ids = [...counts.keys()];
      await this.addRefs(tx, new Map(ids.map((id) => [id, -counts.get(id)!])));
      return foundInChunks(ids, CHUNK, async (chunk): Promise<DeadBlob[]> => {
        await tx
          .updateTable("blobs")
          .set((eb) => ({ state: "dead", retired: eb.ref("generation") }))
          .where("id", "in", chunk)
          .where("refs", "<=", 0)
          .execute();
        const query = tx.selectFrom("blobs").select(DEAD_COLUMNS).where("id", "in", chunk);
        return query.where("state", "=", "dead").execute();
      });
    },

    async setRefs(tx: Db, id: number, refs: number): Promise<void> {
      await tx.updateTable("blobs").set({ refs }).where("id", "=", id).execute();
    },

    async removeDead(id: number): Promise<void> {
      await write.deleteFrom("blobs").where("id", "=", id).where("state", "=", "dead").execute();
    },

    /** A page of dead blobs by id, after the given one, without those that downloads may still read. */
    async dead(policyId: number, afterId: number, limit: number, now: number): Promise<DeadBlob[]> {
      const query = read.selectFrom("blobs").select(DEAD_COLUMNS).where("state", "=", "dead");
      return query
        .where("policy_id", "=", policyId)
        .where("kept_until", "<=", now)
        .where("id", ">", afterId)
        .orderBy("id")
        .limit(limit)
        .execute();
    },
  };
}

/** What is known of the stored bytes. */
function states({ read, write }: Queries) {
  return {
    /** Longest ago first. */
    async unchecked(state: BlobState, before: number, limit: number): Promise<StoredBlob[]> {
      const query = read.selectFrom("blobs").selectAll().where("state", "=", state);
      const rows = await query.where("checked_at", "<", before).orderBy("checked_at").limit(limit).execute();
      return rows.map(toBlob);
    },

    async setChecked(id: number, now: number): Promise<void> {
      await write.updateTable("blobs").set({ checked_at: now }).where("id", "=", id).execute();
    },

    /** Lets its content be stored again. False if it is not live, or has another object. */
    async setDamaged({ id, objectKey }: Pick<StoredBlob, "id" | "objectKey">, now: number): Promise<boolean> {
      const { numUpdatedRows } = await write
        .updateTable("blobs")
        .set((eb) => ({ state: "damaged", retired: eb.ref("generation"), checked_at: now }))
        .where("id", "=", id)
        .where("object_key", "=", objectKey)
        .where("state", "=", "live")
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** The live blob of a content in a policy. */
    async liveIn(policyId: number, sha256: string, db: Db = read): Promise<StoredBlob | null> {
      const [row] = await liveWith(db, [policyId], [sha256]);
      return row === undefined ? null : toBlob(row);
    },

    /** False if it is not damaged, or another blob of its content is live. */
    setLive(id: number, now: number): Promise<boolean> {
      const live = write.updateTable("blobs").set({ state: "live", retired: 0, checked_at: now });
      const damaged = live.where("id", "=", id).where("state", "=", "damaged");
      return unlessTaken(async () => (await damaged.executeTakeFirst()).numUpdatedRows > 0n);
    },

    /** The live ones of at most 1,000 blobs. */
    async liveOf(ids: readonly number[]): Promise<Set<number>> {
      if (ids.length === 0) return new Set();
      const query = read.selectFrom("blobs").select("id").where("id", "in", ids);
      return new Set((await query.where("state", "!=", "dead").execute()).map(({ id }) => id));
    },

    /** The blobs of these keys in any policy, because policies may share a location. */
    async knownKeys(keys: readonly string[]): Promise<Map<string, { size: number; state: string }>> {
      const rows = await foundInChunks(keys, CHUNK, (chunk) => {
        const query = read.selectFrom("blobs").select(["object_key", "size", "state"]);
        return query.where("object_key", "in", chunk).execute();
      });
      return new Map(rows.map(({ object_key: key, ...row }) => [key, row]));
    },

    async knownUploads(ids: readonly string[]): Promise<Set<string>> {
      const rows = await foundInChunks(ids, CHUNK, (chunk) =>
        read.selectFrom("uploads").select("id").where("id", "in", chunk).execute(),
      );
      return new Set(rows.map(({ id }) => id));
    },
  };
}

const blobOf = prepared((db, id: number) => db.selectFrom("blobs").selectAll().where("id", "=", id));

const liveWith = prepared((db, policies: readonly number[], hashes: readonly string[]) =>
  db
    .selectFrom("blobs")
    .selectAll()
    .where("policy_id", "in", policies)
    .where("sha256", "in", hashes)
    .where("retired", "=", 0),
);

const contentOf = (policyId: number, sha256: string): string => `${sha256} ${policyId}`;

/** From an entry up to the folder that shows a linked policy; that folder comes first. */
export const diskLineFrom = (column: "id" | "blob_id") =>
  prepared((db, value: number) =>
    db
      .withRecursive("line", (query) =>
        query
          .selectFrom("entries")
          .select(["id", "parent_id", "policy_id", "disk_time", sql<number>`0`.as("level")])
          .select((eb) => eb.fn.coalesce("disk_name", "name").as("name"))
          .where(column, "=", value)
          .unionAll(
            query
              .selectFrom("entries")
              .innerJoin("line", "line.parent_id", "entries.id")
              .select(["entries.id", "entries.parent_id", "entries.policy_id", "entries.disk_time"])
              .select(sql<number>`line.level + 1`.as("level"))
              .select((eb) => eb.fn.coalesce("entries.disk_name", "entries.name").as("name"))
              .where("line.policy_id", "is", null)
              .where("entries.disk_time", "is not", null),
          ),
      )
      .selectFrom("line")
      .select(["id", "name", "policy_id as policyId", "disk_time as diskTime"])
      .orderBy("level", "desc"),
  );

const lineOfFile = diskLineFrom("blob_id");

const DEAD_COLUMNS = ["id", "policy_id as policyId", "object_key as objectKey"] as const;

export const toBlob = ({
  retired: _retired,
  created_at: _at,
  ...row
}: Selectable<Schema["blobs"]>): StoredBlob => ({
  ...camelCased(row),
  state: row.state as BlobState,
});

type BlobState = "live" | "dead" | "damaged" | "linked";

export type StoredBlob = Omit<RowFields<"blobs", { state: BlobState }>, "retired" | "createdAt">;

/** Without references: its object is removed, then its row. */
export type DeadBlob = Pick<StoredBlob, "id" | "policyId" | "objectKey">;
