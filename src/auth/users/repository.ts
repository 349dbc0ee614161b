import type { Selectable } from "kysely";
import type { Database } from "../../db/database.ts";
import type { Db } from "../../db/dialect.ts";
import { explainViolations } from "../../db/failures.ts";
import type { Schema } from "../../db/schema.ts";
import { roleOf } from "../../lib/access.ts";
import { appError } from "../../lib/errors.ts";
import type { User } from "./user.ts";

export type UsersRepository = ReturnType<typeof createUsersRepository>;

export function createUsersRepository({ read, dialect }: Pick<Database, "read" | "dialect">) {
  return {
    async find(id: number): Promise<User | null> {
      const row = await read.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : toUser(row);
    },

    async findByUsername(username: string): Promise<User | null> {
      const query = read.selectFrom("users").selectAll().where("username", "=", username);
      const row = await query.executeTakeFirst();
      return row === undefined ? null : toUser(row);
    },

    /** Ordered by username. */
    async list({ limit, offset }: { limit: number; offset: number }): Promise<User[]> {
      const query = read.selectFrom("users").selectAll().orderBy("username").limit(limit).offset(offset);
      return (await query.execute()).map(toUser);
    },

    async count(): Promise<number> {
      const query = read.selectFrom("users").select(({ fn }) => fn.countAll<number>().as("total"));
      return Number((await query.executeTakeFirstOrThrow()).total);
    },

    async lock(tx: Db, id: number): Promise<User | null> {
      const query = tx.selectFrom("users").selectAll().where("id", "=", id);
      const row = await query.$call(dialect.forUpdate).executeTakeFirst();
      return row === undefined ? null : toUser(row);
    },

    /** Returns the id. @throws Conflict when the username is taken */
    async insert(tx: Db, user: Omit<User, "id">): Promise<number> {
      return explainViolations(() => dialect.insertReturningId(tx, "users", toRow(user)), {
        unique: usernameTaken(user),
      });
    },

    /** @throws Conflict when the username is taken */
    async update(tx: Db, user: User): Promise<void> {
      const query = tx.updateTable("users").set(toRow(user)).where("id", "=", user.id);
      await explainViolations(() => query.execute(), { unique: usernameTaken(user) });
    },

    async remove(tx: Db, id: number): Promise<void> {
      await tx.deleteFrom("users").where("id", "=", id).execute();
    },
  };
}

const usernameTaken =
  ({ username }: Omit<User, "id">) =>
  (cause: unknown) =>
    appError("Conflict", `An account '${username}' already exists.`, { cause });

const toUser = (row: Selectable<Schema["users"]>): User => ({
  id: row.id,
  username: row.username,
  passwordHash: row.password_hash,
  role: roleOf(row.role),
  disabled: row.disabled !== 0,
  quotaBytes: row.quota_bytes,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const toRow = (user: Omit<User, "id">) => ({
  username: user.username,
  password_hash: user.passwordHash,
  role: user.role,
  disabled: user.disabled ? 1 : 0,
  quota_bytes: user.quotaBytes,
  created_at: user.createdAt,
  updated_at: user.updatedAt,
});
