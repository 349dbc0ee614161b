import type { Selectable } from "kysely";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { countRows } from "../../platform/db/queries.ts";
import type { RowFields, Schema } from "../../platform/db/schema.ts";
import { camelCased } from "../../lib/case-names.ts";

export type Authenticator = RowFields<"authenticators">;

export type SecondFactorRepository = ReturnType<typeof createSecondFactorRepository>;

export function createSecondFactorRepository({ read, dialect }: Database) {
  const ofAccount = (db: Db, accountId: number) =>
    db.selectFrom("authenticators").selectAll().where("account_id", "=", accountId);
  const codesOf = (db: Db, accountId: number) =>
    db.selectFrom("recovery_codes").where("account_id", "=", accountId);

  return {
    async find(accountId: number, db: Db = read): Promise<Authenticator | null> {
      return toAuthenticator(await ofAccount(db, accountId).executeTakeFirst());
    },

    async lock(tx: Db, accountId: number): Promise<Authenticator | null> {
      return toAuthenticator(await ofAccount(tx, accountId).$call(dialect.forUpdate).executeTakeFirst());
    },

    passkeys: (accountId: number, db: Db = read): Promise<number> =>
      countRows(db.selectFrom("passkeys").where("account_id", "=", accountId)),

    codesLeft: (accountId: number): Promise<number> => countRows(codesOf(read, accountId)),

    /** Replaces an earlier one. */
    async insert(tx: Db, accountId: number, secret: string, now: number): Promise<void> {
      await tx.deleteFrom("authenticators").where("account_id", "=", accountId).execute();
      await tx
        .insertInto("authenticators")
        .values({ account_id: accountId, secret, confirmed_at: null, last_step: 0, created_at: now })
        .execute();
    },

    async confirm(tx: Db, accountId: number, { step, now }: { step: number; now: number }): Promise<void> {
      const query = tx.updateTable("authenticators").set({ confirmed_at: now, last_step: step });
      await query.where("account_id", "=", accountId).execute();
    },

    /** False when a code of this step or a later one was accepted already, or the secret is another. */
    async takeStep(tx: Db, { accountId, secret }: Authenticator, step: number): Promise<boolean> {
      const { numUpdatedRows } = await tx
        .updateTable("authenticators")
        .set({ last_step: step })
        .where("account_id", "=", accountId)
        .where("secret", "=", secret)
        .where("last_step", "<", step)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },

    async replaceCodes(tx: Db, accountId: number, hashes: readonly string[]): Promise<void> {
      await tx.deleteFrom("recovery_codes").where("account_id", "=", accountId).execute();
      const rows = hashes.map((hash) => ({ account_id: accountId, hash }));
      await tx.insertInto("recovery_codes").values(rows).execute();
    },

    /** Uses it up. False when there is no such code. */
    async takeCode(tx: Db, accountId: number, hash: string): Promise<boolean> {
      const { numDeletedRows } = await tx
        .deleteFrom("recovery_codes")
        .where("account_id", "=", accountId)
        .where("hash", "=", hash)
        .executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    },

    /** Returns whether there was one. */
    async remove(tx: Db, accountId: number): Promise<boolean> {
      await tx.deleteFrom("recovery_codes").where("account_id", "=", accountId).execute();
      const query = tx.deleteFrom("authenticators").where("account_id", "=", accountId);
      return (await query.executeTakeFirstOrThrow()).numDeletedRows > 0n;
    },

    /** Returns whether there were any. */
    async removePasskeys(tx: Db, accountId: number): Promise<boolean> {
      const query = tx.deleteFrom("passkeys").where("account_id", "=", accountId);
      return (await query.executeTakeFirstOrThrow()).numDeletedRows > 0n;
    },
  };
}

const toAuthenticator = (row: Selectable<Schema["authenticators"]> | undefined): Authenticator | null =>
  row === undefined ? null : camelCased(row);
