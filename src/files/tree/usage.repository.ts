import { sql } from "kysely";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { ownerOfTeam } from "../../lib/owner.ts";

/** The used bytes and the quota of an account. */
export type AccountSpace = {
  used: number;
  /** 0 is unlimited; null if the account or team is gone. */
  quota: number | null;
};

/** The bytes of accounts and teams, with those on their way to them. */
export function createUsageRepository({ read, dialect }: Pick<Database, "read" | "dialect">) {
  return {
    async space(accountId: number): Promise<AccountSpace> {
      const row = await space(read, accountId).executeTakeFirst();
      if (row !== undefined || accountId === 0) return toSpace(accountId, row);
      const owners =
        accountId > 0
          ? read.selectFrom("users").select("quota_bytes").where("id", "=", accountId)
          : read.selectFrom("teams").select("quota_bytes").where("id", "=", ownerOfTeam(accountId));
      return { used: 0, quota: (await owners.executeTakeFirst())?.quota_bytes ?? null };
    },

    /** Locks the account's usage until the transaction ends. */
    async lock(tx: Db, accountId: number): Promise<AccountSpace> {
      const find = () => space(tx, accountId).$call(dialect.forUpdate).executeTakeFirst();
      const row = await find();
      if (row !== undefined) return toSpace(accountId, row);
      await dialect.insertIgnore(
        tx,
        "account_usage",
        ["account_id"],
        [{ account_id: accountId, bytes: 0, moves: 0 }],
      );
      return toSpace(accountId, await find());
    },

    /** An entry got another folder: a reader of several folders may have missed it. */
    async countMove(tx: Db, accountId: number): Promise<void> {
      const query = tx.updateTable("account_usage").set((eb) => ({ moves: eb("moves", "+", 1) }));
      await query.where("account_id", "=", accountId).execute();
    },

    async addUsage(tx: Db, accountId: number, bytes: number): Promise<void> {
      if (bytes === 0) return;
      const query = tx.updateTable("account_usage").set((eb) => ({ bytes: eb("bytes", "+", bytes) }));
      await query.where("account_id", "=", accountId).execute();
    },
  };
}

const space = (db: Db, accountId: number) =>
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

const toSpace = (
  accountId: number,
  row: { bytes: number; quota: number | null; teamQuota: number | null; coming: number | null } | undefined,
): AccountSpace => ({
  used: (row?.bytes ?? 0) + Number(row?.coming ?? 0),
  quota: accountId === 0 ? 0 : (row?.quota ?? row?.teamQuota ?? null),
});
