import { type ExpressionBuilder, type Selectable, sql, type SqlBool } from "kysely";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { explainViolations } from "../../platform/db/failures.ts";
import { prepared } from "../../platform/db/prepared.ts";
import { countRows } from "../../platform/db/queries.ts";
import type { Schema } from "../../platform/db/schema.ts";
import { anyLike, likePatterns, namePatterns } from "../../platform/db/text-search.ts";
import { camelCased, snakeCased } from "../../lib/case-names.ts";
import { roleOf } from "../../lib/access.ts";
import { appError } from "../../lib/errors.ts";
import { knownLanguage } from "../../lib/language.ts";
import { writeAccountMail } from "../account.repository.ts";
import { BUILT_IN_ADMIN } from "../account.ts";
import {
  isInvited,
  type Belongings,
  type ListedUser,
  type NamedPerson,
  type User,
  type UserFilter,
} from "./user.ts";
import { asciiLower } from "../../lib/ascii-lower.ts";

export type UsersRepository = ReturnType<typeof createUsersRepository>;

const MAIL = [
  "account_mail.email",
  "account_mail.proved_at",
  "account_mail.language",
  "account_mail.display_name",
] as const;

const PERSON = ["users.username", "account_mail.display_name as displayName"] as const;

const usersIn = (db: Db) =>
  db
    .selectFrom("users")
    .leftJoin("account_mail", "account_mail.account_id", "users.id")
    .selectAll("users")
    .select(MAIL);

const usersById = prepared((db, id: number) => usersIn(db).where("users.id", "=", id));

export function createUsersRepository({ read, dialect }: Database) {
  const setMail = (tx: Db, id: number, { email, emailVerified, ...user }: Omit<User, "id">) =>
    writeAccountMail(tx, id, {
      email,
      proved_at: email !== null && emailVerified ? user.updatedAt : null,
      language: user.language,
      display_name: user.displayName,
    });

  function matching({ search, role, disabled }: UserFilter) {
    let query = read.selectFrom("users").leftJoin("account_mail", "account_mail.account_id", "users.id");
    if (search) query = query.where(isNamedLike(search));
    if (role !== undefined) query = query.where("role", "=", role);
    if (disabled !== undefined) query = query.where("disabled", "=", disabled ? 1 : 0);
    return query;
  }

  return {
    async find(id: number): Promise<User | null> {
      const [row] = await usersById(read, id);
      return row === undefined ? null : toUser(row);
    },

    async findByUsername(username: string): Promise<User | null> {
      const row = await usersIn(read).where("username", "=", username).executeTakeFirst();
      return row === undefined ? null : toUser(row);
    },

    async list(filter: UserFilter, { limit, offset }: { limit: number; offset: number }) {
      const query = matching(filter)
        .leftJoin("account_usage", "account_usage.account_id", "users.id")
        .selectAll("users")
        .select(MAIL)
        .select("account_usage.bytes as usedBytes")
        .select(FACTORS);
      const ordered = query
        .orderBy(dialect.withoutEndNumber("users.username"))
        .orderBy(sql`length(users.username)`)
        .orderBy("users.username");
      const rows = await ordered.limit(limit).offset(offset).execute();
      return rows.map(toListedUser);
    },

    count: (filter: UserFilter): Promise<number> => countRows(matching(filter)),

    /** Those of the accounts that are called otherwise than their usernames. */
    async displayNames(usernames: readonly string[]): Promise<NamedPerson[]> {
      const named = read.selectFrom("account_mail").where("display_name", "is not", null);
      const users = named.innerJoin("users", "users.id", "account_mail.account_id").select(PERSON);
      const found = await users.where("users.username", "in", usernames).execute();
      const { id, username } = BUILT_IN_ADMIN;
      if (!usernames.includes(username)) return found;
      const builtIn = named.select("display_name as displayName").where("account_id", "=", id);
      return [...found, ...(await builtIn.execute()).map((row) => ({ username, ...row }))];
    },

    /** Enabled accounts, without the built-in administrator. */
    async suggestions(search: string, limit: number): Promise<NamedPerson[]> {
      const query = matching({ search, disabled: false }).select(PERSON).orderBy("users.username");
      return query.limit(limit).execute();
    },

    /** What goes, and what stays, when the account is deleted. */
    async belongings(id: number): Promise<Belongings> {
      const entries = read.selectFrom("entries").where("account_id", "=", id);
      const tokens = read.selectFrom("tokens").where("user_id", "=", id);
      const links = read.selectFrom("links").where("owner_id", "=", id);
      const usage = read.selectFrom("account_usage").select("bytes").where("account_id", "=", id);
      const [space, files, folders, ownTokens, ownLinks] = await Promise.all([
        usage.executeTakeFirst(),
        countRows(entries.where("kind", "=", "file")),
        countRows(entries.where("kind", "=", "folder")),
        countRows(tokens),
        countRows(links),
      ]);
      return { bytes: space?.bytes ?? 0, files, folders, tokens: ownTokens, links: ownLinks };
    },

    async lock(tx: Db, id: number): Promise<User | null> {
      const query = tx.selectFrom("users").selectAll().where("id", "=", id);
      const row = await query.$call(dialect.forUpdate).executeTakeFirst();
      if (row === undefined) return null;
      const mail = tx.selectFrom("account_mail").select(MAIL).where("account_id", "=", id);
      return toUser({ ...row, ...((await mail.executeTakeFirst()) ?? NO_MAIL) });
    },

    /** Returns the id. @throws Conflict when the username is taken */
    async insert(tx: Db, user: Omit<User, "id">): Promise<number> {
      const id = await explainViolations(() => dialect.insertReturningId(tx, "users", toRow(user)), {
        unique: usernameTaken(user),
      });
      await setMail(tx, id, user);
      return id;
    },

    /** @throws Conflict when the username is taken */
    async update(tx: Db, { id, ...user }: User): Promise<void> {
      const query = tx.updateTable("users").set(toRow(user)).where("id", "=", id);
      await explainViolations(() => query.execute(), { unique: usernameTaken(user) });
      await setMail(tx, id, user);
    },

    async remove(tx: Db, id: number): Promise<void> {
      await tx.deleteFrom("account_mail").where("account_id", "=", id).execute();
      await tx.deleteFrom("presets").where("owner_id", "=", id).execute();
      await tx.deleteFrom("users").where("id", "=", id).execute();
    },
  };
}

/** Usernames are ASCII in lower case. */
function isNamedLike(search: string) {
  const byUsername = anyLike([sql.ref("users.username")], likePatterns(asciiLower(search)));
  const byName = anyLike([sql.ref("account_mail.display_name")], namePatterns(search));
  return sql<SqlBool>`(${byUsername} or ${byName})`;
}

const ROWS = sql<number>`count(*)`.as("n");

const usernameTaken =
  ({ username }: Omit<User, "id">) =>
  (cause: unknown) =>
    appError("Conflict", `An account '${username}' already exists.`, { cause });

const NO_MAIL = { email: null, proved_at: null, language: null, display_name: null };

type Row = Selectable<Schema["users"]> & {
  email: string | null;
  proved_at: number | null;
  language: string | null;
  display_name: string | null;
};

const toUser = ({ proved_at: provedAt, ...row }: Row): User => ({
  ...camelCased(row),
  role: roleOf(row.role),
  disabled: row.disabled !== 0,
  emailVerified: provedAt !== null,
  language: knownLanguage(row.language),
});

function toRow(user: Omit<User, "id">) {
  const { email: _, emailVerified: __, language: ___, displayName: ____, ...stored } = user;
  return { ...snakeCased(stored), disabled: Number(user.disabled) };
}

const toListedUser = (row: Row & { usedBytes: number | null } & Factors): ListedUser => {
  const { usedBytes, totpAt, passkeys, ...user } = row;
  const secondFactor = totpAt !== null || Number(passkeys) > 0;
  const listed = toUser(user);
  return { ...listed, usedBytes: usedBytes ?? 0, secondFactor, invited: isInvited(listed) };
};

type Factors = { totpAt: number | null; passkeys: number | null };

const FACTORS = ({ selectFrom }: ExpressionBuilder<Schema, "users">) => [
  selectFrom("authenticators").select("confirmed_at").whereRef("account_id", "=", "users.id").as("totpAt"),
  selectFrom("passkeys").select(ROWS).whereRef("account_id", "=", "users.id").as("passkeys"),
];
