import type { Database } from "../platform/db/database.ts";
import type { Db } from "../platform/db/dialect.ts";
import { roleOf, teamRoleOf, type Teams } from "../lib/access.ts";
import { ownerOfTeam } from "../lib/owner.ts";
import { type Account, BUILT_IN_ADMIN } from "./account.ts";
import type { Selectable } from "kysely";
import { explainViolations } from "../platform/db/failures.ts";
import { finds, unlessTaken } from "../platform/db/queries.ts";
import type { Schema } from "../platform/db/schema.ts";
import { appError } from "../lib/errors.ts";
import { createHash } from "node:crypto";

/** Finds an account with its teams. Null when deleted or disabled. */
export async function findAccount(db: Db, id: number): Promise<Account | null> {
  const isBuiltIn = id === BUILT_IN_ADMIN.id;
  const account = isBuiltIn ? BUILT_IN_ADMIN : accountOf(id, await accountRow(db, id).executeTakeFirst());
  return account && { ...account, teams: await teamsOf(db, id) };
}

/** An account is in at most 100 teams (teams/service.ts). */
async function teamsOf(db: Db, accountId: number): Promise<Teams> {
  const rows = await db
    .selectFrom("team_members")
    .select(["team_id", "role"])
    .where("account_id", "=", accountId)
    .orderBy("team_id")
    .execute();
  return new Map(rows.map(({ team_id: id, role }) => [ownerOfTeam(id), teamRoleOf(role)]));
}

/** Locks the account until the transaction ends. Null when deleted or disabled. */
export async function lockAccount(
  tx: Db,
  { dialect: { forUpdate } }: Database,
  id: number,
): Promise<Account | null> {
  if (id !== BUILT_IN_ADMIN.id) {
    return accountOf(id, await accountRow(tx, id).$call(forUpdate).executeTakeFirst());
  }
  const password = tx.selectFrom("settings").select("key").where("key", "=", "api.admin_token");
  await password.$call(forUpdate).executeTakeFirst();
  return BUILT_IN_ADMIN;
}

/** Locks the account, and returns the hash of its password. Null when deleted or disabled. */
export async function lockPasswordHash(
  tx: Db,
  { dialect: { forUpdate } }: Database,
  id: number,
): Promise<string | null> {
  if (id === BUILT_IN_ADMIN.id) {
    const setting = tx.selectFrom("settings").select("value").where("key", "=", "api.admin_token");
    return (await setting.$call(forUpdate).executeTakeFirst())?.value ?? null;
  }
  const query = tx.selectFrom("users").select(["password_hash", "disabled"]).where("id", "=", id);
  const row = await query.$call(forUpdate).executeTakeFirst();
  return row === undefined || row.disabled !== 0 ? null : row.password_hash;
}

const accountRow = (db: Db, id: number) =>
  db.selectFrom("users").select(["username", "role", "disabled"]).where("id", "=", id);

type Row = { username: string; role: string; disabled: number };

const accountOf = (id: number, row: Row | undefined): Account | null =>
  row === undefined || row.disabled !== 0 ? null : { id, username: row.username, role: roleOf(row.role) };

type MailRow = Selectable<Schema["account_mail"]>;
type Fields = Pick<MailRow, "email" | "proved_at" | "language" | "display_name"> &
  Partial<Pick<MailRow, "choices">>;

/**
 * Creates or updates the account's row. No upsert: with two unique keys it may find the row of whoever has the
 * address. @throws Conflict when another account has the address
 */
export async function writeAccountMail(tx: Db, accountId: number, fields: Fields): Promise<void> {
  const own = tx.selectFrom("account_mail").select("account_id").where("account_id", "=", accountId);
  const isThere = await finds(own);
  const write = async (): Promise<unknown> =>
    isThere
      ? tx.updateTable("account_mail").set(fields).where("account_id", "=", accountId).execute()
      : tx
          .insertInto("account_mail")
          .values({ account_id: accountId, choices: "{}", ...fields })
          .execute();
  await explainViolations(write, {
    unique: (cause) =>
      appError("Conflict", "Another account has this e-mail address.", { cause, field: "email" }),
  });
}

/**
 * Stores a secret that works once in `login_failures`, until stale delays go, long after it has ended. Resolves with
 * false when any process has used it already; then the transaction has to end.
 */
export function useOnce(
  tx: Db,
  { kind, secret }: { kind: "passkey" | "oidc"; secret: string },
  { end, now }: { end: number; now: number },
): Promise<boolean> {
  const account = `${kind} ${createHash("sha256").update(secret).digest("hex")}`;
  const row = { account, failures: 0, retry_at: end, updated_at: now };
  return unlessTaken(() => tx.insertInto("login_failures").values(row).execute());
}
