import { createHash } from "node:crypto";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { BUILT_IN_ADMIN } from "../account.ts";

/** Who somebody is to a provider. */
export type ProviderIdentity = { issuer: string; subject: string };

export type OidcRepository = ReturnType<typeof createOidcRepository>;

export function createOidcRepository({ read, dialect }: Database) {
  return {
    /** The account's id; locks the row. */
    async findAccount(tx: Db, identity: ProviderIdentity): Promise<number | null> {
      const query = tx
        .selectFrom("account_identities")
        .select("account_id")
        .where("hash", "=", hashOf(identity));
      return (await query.$call(dialect.forUpdate).executeTakeFirst())?.account_id ?? null;
    },

    /** The account that has proved that it gets mails there; never the built-in administrator. */
    async findByEmail(tx: Db, email: string): Promise<number | null> {
      const query = tx.selectFrom("account_mail").select("account_id").where("email", "=", email);
      const row = await query
        .where("proved_at", "is not", null)
        .where("account_id", "!=", BUILT_IN_ADMIN.id)
        .executeTakeFirst();
      return row?.account_id ?? null;
    },

    async isAddressFree(tx: Db, email: string): Promise<boolean> {
      const query = tx.selectFrom("account_mail").select("account_id").where("email", "=", email);
      return (await query.executeTakeFirst()) === undefined;
    },

    /** Fails if another transaction was faster: `isUniqueViolation`. */
    async add(tx: Db, accountId: number, identity: ProviderIdentity, now: number): Promise<void> {
      const row = {
        hash: hashOf(identity),
        account_id: accountId,
        ...identity,
        created_at: now,
        used_at: now,
      };
      await tx.insertInto("account_identities").values(row).execute();
    },

    async markUsed(tx: Db, identity: ProviderIdentity, now: number): Promise<void> {
      const query = tx.updateTable("account_identities").set({ used_at: now });
      await query.where("hash", "=", hashOf(identity)).execute();
    },

    /** Those of the names that accounts have. */
    async takenNames(tx: Db, names: readonly string[]): Promise<Set<string>> {
      const rows = await tx.selectFrom("users").select("username").where("username", "in", names).execute();
      return new Set(rows.map(({ username }) => username));
    },

    async keepIdToken(tx: Db, sessionId: string, sealed: string): Promise<void> {
      await tx.insertInto("oidc_sessions").values({ session_id: sessionId, id_token: sealed }).execute();
    },

    /** Sealed; of the first session that has one. */
    async findIdToken(sessionIds: readonly string[]): Promise<string | null> {
      if (sessionIds.length === 0) return null;
      const query = read.selectFrom("oidc_sessions").select("id_token").where("session_id", "in", sessionIds);
      return (await query.limit(1).executeTakeFirst())?.id_token ?? null;
    },
  };
}

/** A subject is compared by bytes, whatever the database's collation. An issuer has no line break. */
const hashOf = ({ issuer, subject }: ProviderIdentity): string =>
  createHash("sha256").update(`${issuer}\n${subject}`).digest("hex");
