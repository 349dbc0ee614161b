import type { Selectable } from "kysely";
import type { Database } from "../../db/database.ts";
import type { Db } from "../../db/dialect.ts";
import { explainViolations } from "../../db/failures.ts";
import type { Schema } from "../../db/schema.ts";
import { SCOPES } from "../../lib/access.ts";
import { appError } from "../../lib/errors.ts";
import type { Account } from "../account.ts";
import { findAccount, lockAccount } from "../account.repository.ts";
import type { ApiToken, ListedToken } from "./api-token.ts";

/** `account` is null when deleted or disabled. */
export type TokenOwner = { token: ApiToken; account: Account | null };

export type ApiTokensRepository = ReturnType<typeof createApiTokensRepository>;

export function createApiTokensRepository({
  read,
  write,
  dialect,
}: Pick<Database, "read" | "write" | "dialect">) {
  const withOwners = () =>
    read
      .selectFrom("tokens")
      .leftJoin("users", "users.id", "tokens.user_id")
      .selectAll("tokens")
      .select("users.username");

  return {
    async findByHash(hash: string): Promise<TokenOwner | null> {
      const row = await read.selectFrom("tokens").selectAll().where("hash", "=", hash).executeTakeFirst();
      if (row === undefined) return null;
      return { token: toToken(row), account: await findAccount(read, row.user_id) };
    },

    /** Newest first. */
    async list(accountId: number, at: { limit: number; offset: number }): Promise<ApiToken[]> {
      const query = read.selectFrom("tokens").selectAll().where("user_id", "=", accountId);
      return (await query.orderBy("id", "desc").limit(at.limit).offset(at.offset).execute()).map(toToken);
    },

    /** Of all accounts, newest first. */
    async pageOfAll(at: { limit: number; offset: number }): Promise<ListedToken[]> {
      const query = withOwners().orderBy("tokens.id", "desc").limit(at.limit).offset(at.offset);
      return (await query.execute()).map(toListed);
    },

    async countAll(): Promise<number> {
      const query = read.selectFrom("tokens").select(({ fn }) => fn.countAll<number>().as("total"));
      return Number((await query.executeTakeFirstOrThrow()).total);
    },

    /** Of all accounts, by id from after this one. `username` is null for the built-in administrator. */
    async listAll(after: number, limit: number): Promise<ListedToken[]> {
      const query = withOwners().where("tokens.id", ">", after).orderBy("tokens.id").limit(limit);
      return (await query.execute()).map(toListed);
    },

    async count(db: Db, accountId: number): Promise<number> {
      const query = db.selectFrom("tokens").where("user_id", "=", accountId);
      const { total } = await query
        .select(({ fn }) => fn.countAll<number>().as("total"))
        .executeTakeFirstOrThrow();
      return Number(total);
    },

    countOf(accountId: number): Promise<number> {
      return this.count(read, accountId);
    },

    findAccount,
    lockAccount: (tx: Db, accountId: number) => lockAccount(tx, dialect, accountId),

    /** Returns the id. @throws Conflict when the account has a token of that name */
    async insert(tx: Db, { hash, ...token }: Omit<ApiToken, "id"> & { hash: string }): Promise<number> {
      const row = {
        user_id: token.accountId,
        name: token.name,
        hash,
        scopes: token.scopes.join(" "),
        created_at: token.createdAt,
        expires_at: token.expiresAt,
        last_used_at: token.lastUsedAt,
      };
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
    async removeExpired(before: number, limit: number): Promise<number> {
      const rows = await read
        .selectFrom("tokens")
        .select("id")
        .where("expires_at", "<", before)
        .orderBy("id")
        .limit(limit)
        .execute();
      const ids = rows.map(({ id }) => id);
      if (ids.length > 0) await write.deleteFrom("tokens").where("id", "in", ids).execute();
      return ids.length;
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

const toToken = (row: Selectable<Schema["tokens"]>): ApiToken => ({
  id: row.id,
  accountId: row.user_id,
  name: row.name,
  scopes: SCOPES.filter((scope) => row.scopes.split(" ").includes(scope)),
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  lastUsedAt: row.last_used_at,
});

const toListed = (row: Selectable<Schema["tokens"]> & { username: string | null }): ListedToken => ({
  ...toToken(row),
  username: row.username,
});
