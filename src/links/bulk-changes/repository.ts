import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { deleteFound } from "../../platform/db/queries.ts";
import type { RowFields } from "../../platform/db/schema.ts";
import type { Via } from "../../lib/actor.ts";
import { camelCased, snakeCased } from "../../lib/case-names.ts";
import type { BulkId, UndoProgress } from "../bulk-id.ts";

export type BulkState = "done" | "undoing" | "undone";

/** `before` and `after` are JSON. */
export type BulkChange = RowFields<"bulk_changes", { via: Via; state: BulkState; undoneVia: Via | null }>;

type NewBulkChange = Pick<
  BulkChange,
  "at" | "bulk" | "actor" | "via" | "accountId" | "action" | "subject" | "before" | "after" | "links"
>;

const REMOVED_AT_ONCE = 1_000;
const REFUSAL_LENGTH = 1_000;

export type BulkChangeRepository = ReturnType<typeof createBulkChangeRepository>;

export function createBulkChangeRepository({ read, write, dialect }: Database) {
  const named = (db: Db, { at, bulk }: BulkId) =>
    db.selectFrom("bulk_changes").selectAll().where("at", "=", at).where("bulk", "=", bulk);

  /** Newest first. */
  const newest = (account: number | null, most: number) =>
    read
      .selectFrom("bulk_changes")
      .selectAll()
      .$if(account !== null, (query) => query.where("account_id", "=", account))
      .orderBy("at", "desc")
      .orderBy("bulk", "desc")
      .limit(most);

  return {
    /** Adds a change, or the links of a further part. */
    add: (tx: Db, change: NewBulkChange): Promise<void> =>
      dialect.upsert(tx, { table: "bulk_changes", keys: ["at", "bulk"], add: ["links"] }, [
        { ...snakeCased(change), state: "done" },
      ]),

    /** Newest first, after a place. @param account null: of all */
    async page(account: number | null, after: BulkId | null, limit: number): Promise<BulkChange[]> {
      if (after === null) return (await newest(account, limit).execute()).map(toChange);
      const { at, bulk } = after;
      const same = await newest(account, limit).where("at", "=", at).where("bulk", "<", bulk).execute();
      const left = limit - same.length;
      const older = left === 0 ? [] : await newest(account, left).where("at", "<", at).execute();
      return [...same, ...older].map(toChange);
    },

    async find(id: BulkId): Promise<BulkChange | null> {
      const row = await named(read, id).executeTakeFirst();
      return row === undefined ? null : toChange(row);
    },

    /** Locks it until the transaction ends. */
    async lock(tx: Db, id: BulkId): Promise<BulkChange | null> {
      const row = await named(tx, id).$call(dialect.forUpdate).executeTakeFirst();
      return row === undefined ? null : toChange(row);
    },

    async update(tx: Db, { at, bulk }: BulkId, set: Partial<BulkChange>): Promise<void> {
      await tx
        .updateTable("bulk_changes")
        .set(snakeCased(set))
        .where("at", "=", at)
        .where("bulk", "=", bulk)
        .execute();
    },

    /** The next one that is to be undone. */
    async undoing(): Promise<BulkChange | null> {
      const query = read.selectFrom("bulk_changes").selectAll().where("state", "=", "undoing");
      const row = await query.orderBy("id").limit(1).executeTakeFirst();
      return row === undefined ? null : toChange(row);
    },

    /** Call it in the transaction of the portion. */
    async noteUndo(tx: Db, { at, bulk }: BulkId, progress: UndoProgress): Promise<void> {
      const { after, next, restored, failed, by, now } = progress;
      const refusal = progress.refusal?.slice(0, REFUSAL_LENGTH) ?? null;
      await tx
        .updateTable("bulk_changes")
        .set((eb) => ({
          restored: eb("restored", "+", restored),
          failed: after === 0 ? failed : eb("failed", "+", failed),
          refusal: after === 0 ? refusal : eb.fn.coalesce("refusal", eb.val(refusal)),
          undone_by: by,
          undone_at: now,
          ...(next === null ? { undo_place: 0, state: "undone" } : { undo_place: next }),
        }))
        .where("at", "=", at)
        .where("bulk", "=", bulk)
        .execute();
    },

    /** At most 1,000. Returns how many. */
    removeBefore(at: number): Promise<number> {
      const old = read.selectFrom("bulk_changes").select("id").where("at", "<", at);
      return deleteFound(write, "bulk_changes", old.orderBy("at").limit(REMOVED_AT_ONCE));
    },
  };
}

const toChange = (row: Parameters<typeof camelCased>[0]): BulkChange => camelCased(row) as BulkChange;
