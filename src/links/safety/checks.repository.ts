import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";

/** `linkId`: the last link that the round has passed; null: it is over. */
export type Round = { startedAt: number; linkId: number | null };

type Failure = { failures: number; failedSince: number; checkedAt: number; problem: string };

const OVER = -1;

export type ChecksRepository = ReturnType<typeof createChecksRepository>;
/** With the last failures in a row; null without. */
export type CheckedLink = Awaited<ReturnType<ChecksRepository["portion"]>>[number];

export function createChecksRepository({
  read,
  write,
  dialect,
}: Pick<Database, "read" | "write" | "dialect">) {
  return {
    async round(): Promise<Round | null> {
      const row = await read.selectFrom("target_rounds").selectAll().where("id", "=", 1).executeTakeFirst();
      return row === undefined
        ? null
        : { startedAt: row.started_at, linkId: row.link_id === OVER ? null : row.link_id };
    },

    keepRound: ({ startedAt, linkId }: Round): Promise<void> =>
      dialect.upsert(write, { table: "target_rounds", keys: ["id"], set: ["started_at", "link_id"] }, [
        { id: 1, started_at: startedAt, link_id: linkId ?? OVER },
      ]),

    /** In the order of their ids, after one. */
    portion: (after: number, limit: number) =>
      read
        .selectFrom("links")
        .leftJoin("target_checks", "target_checks.link_id", "links.id")
        .select([
          "links.id",
          "links.code",
          "links.target",
          "links.options",
          "links.expires_at as expiresAt",
          "links.updated_at as updatedAt",
          "links.dead_since as deadSince",
          "target_checks.failures",
          "target_checks.failed_since as failedSince",
          "target_checks.checked_at as checkedAt",
        ])
        .where("links.id", ">", after)
        .orderBy("links.id")
        .limit(limit)
        .execute(),

    async fail(linkId: number, { failures, failedSince, checkedAt, problem }: Failure): Promise<void> {
      const row = { link_id: linkId, failures, failed_since: failedSince, checked_at: checkedAt, problem };
      const set = ["failures", "failed_since", "checked_at", "problem"] as const;
      await dialect.upsert(write, { table: "target_checks", keys: ["link_id"], set }, [row]);
    },

    async forget(linkId: number): Promise<void> {
      await write.deleteFrom("target_checks").where("link_id", "=", linkId).execute();
    },

    /** False if the link is gone or leads elsewhere meanwhile. */
    async mark(tx: Db, { id, target }: { id: number; target: string }, deadSince: number | null) {
      const { numUpdatedRows } = await tx
        .updateTable("links")
        .set({ dead_since: deadSince })
        .where("id", "=", id)
        .where("target", "=", target)
        .executeTakeFirst();
      return Number(numUpdatedRows) > 0;
    },
  };
}
