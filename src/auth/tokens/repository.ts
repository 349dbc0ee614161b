import type { Selectable } from "kysely";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { explainViolations } from "../../platform/db/failures.ts";
import { countRows, deleteFound } from "../../platform/db/queries.ts";
import type { Schema } from "../../platform/db/schema.ts";
import { SCOPES } from "../../lib/access.ts";
import { camelCased, snakeCased } from "../../lib/case-names.ts";
import { appError } from "../../lib/errors.ts";
import { findAccount } from "../account.repository.ts";
import { type Account, nameOfAccount } from "../account.ts";
import type { ApiToken, ListedToken } from "./api-token.ts";

/** `account` is null when deleted or disabled. */
export type TokenOwner = { token: ApiToken; account: Account | null };

export type ApiTokensRepository = ReturnType<typeof createApiTokensRepository>;

export function createApiTokensRepository({ read, write, dialect }: Database) {
  const tokensOf = (db: Db, accountId: number | null) =>
    db
      .selectFrom("tokens")
      .$if(accountId !== null, (query) => query.where("tokens.user_id", "=", accountId!));

  return {
    async findByHash(hash: string): Promise<TokenOwner | null> {
      const row = await read.selectFrom("tokens").selectAll().where("hash", "=", hash).executeTakeFirst();
      if (row === undefined) return null;
      return { token: toToken(row), account: await findAccount(read, row.user_id) };
    },

    /** Newest first. `accountId` null: of all accounts, like the next one. */
    async list(accountId: number | null, at: { limit: number; offset: number }): Promise<ListedToken[]> {
      const query = tokensOf(read, accountId)
        .leftJoin("users", "users.id", "tokens.user_id")
        .selectAll("tokens")
        .select("users.username");
      const rows = await query.orderBy("tokens.id", "desc").limit(at.limit).offset(at.offset).execute();
      return rows.map((row) => ({ ...toToken(row), owner: nameOfAccount(row.user_id, row.username) }));
    },

    async find(id: number, accountId: number | null, db: Db = read): Promise<ApiToken | null> {
      const row = await tokensOf(db, accountId).selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : toToken(row);
    },

    /** The owner of a folder, also of one in the trash; null without such a folder. */
    async ownerOfFolder(tx: Db, id: number): Promise<number | null> {
      const folders = tx.selectFrom("entries").select("account_id as owner").where("kind", "=", "folder");
      return (await folders.where("id", "=", id).executeTakeFirst())?.owner ?? null;
    },

    count: (accountId: number | null, db: Db = read): Promise<number> => countRows(tokensOf(db, accountId)),

    /** Returns the id. @throws Conflict when the account has a token of that name */
    async insert(tx: Db, { hash, ...token }: Omit<ApiToken, "id"> & { hash: string }): Promise<number> {
      const { accountId, scopes, ...rest } = token;
      const row = { ...snakeCased(rest), user_id: accountId, hash, scopes: scopes.join(" ") };
      return explainViolations(() => dialect.insertReturningId(tx, "tokens", row), {
        unique: (cause) =>
          appError("Conflict", `A token '${token.name}' already exists; choose another name, or revoke it.`, {
            cause,
          }),
      });
    },

    /** With its hash; null when there is none. `accountId` null: of any account. */
    async lock(tx: Db, id: number, accountId: number | null): Promise<(ApiToken & { hash: string }) | null> {
      const found = tx.selectFrom("tokens").selectAll().where("id", "=", id);
      const own = accountId === null ? found : found.where("user_id", "=", accountId);
      const row = await own.$call(dialect.forUpdate).executeTakeFirst();
      return row === undefined ? null : { ...toToken(row), hash: row.hash };
    },

    async remove(tx: Db, id: number): Promise<void> {
      await tx.deleteFrom("tokens").where("id", "=", id).execute();
    },

    /** At most `limit`; returns how many. */
    removeExpired(before: number, limit: number): Promise<number> {
      const expired = read.selectFrom("tokens").select("id").where("expires_at", "<", before);
      return deleteFound(write, "tokens", expired.orderBy("id").limit(limit));
    },

    async removeAllOf(tx: Db, accountId: number): Promise<void> {
      await tx.deleteFrom("tokens").where("user_id", "=", accountId).execute();
    },

    /** Never goes back. */
    async markUsed(id: number, at: number): Promise<void> {
      await write
        .updateTable("tokens")
        .set({ last_used_at: at })
        .where("id", "=", id)
        .where((is) => is.or([is("last_used_at", "is", null), is("last_used_at", "<", at)]))
        .execute();
    },
  };
}

const toToken = ({ user_id: accountId, hash: _hash, ...row }: Selectable<Schema["tokens"]>): ApiToken => ({
  ...camelCased(row),
  accountId,
  scopes: SCOPES.filter((scope) => row.scopes.split(" ").includes(scope)),
});
