import type { Database } from "../platform/db/database.ts";
import type { Db } from "../platform/db/dialect.ts";
import { roleOf, teamRoleOf, type Teams } from "../lib/access.ts";
import { ownerOfTeam } from "../lib/owner.ts";
import { type Account, BUILT_IN_ADMIN } from "./account.ts";

/** With its teams. Null when deleted or disabled. */
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
  { forUpdate }: Pick<Database["dialect"], "forUpdate">,
  id: number,
): Promise<Account | null> {
  if (id !== BUILT_IN_ADMIN.id) {
    return accountOf(id, await accountRow(tx, id).$call(forUpdate).executeTakeFirst());
  }
  const password = tx.selectFrom("settings").select("key").where("key", "=", "api.admin_token");
  await password.$call(forUpdate).executeTakeFirst();
  return BUILT_IN_ADMIN;
}

const accountRow = (db: Db, id: number) =>
  db.selectFrom("users").select(["username", "role", "disabled"]).where("id", "=", id);

type Row = { username: string; role: string; disabled: number };

const accountOf = (id: number, row: Row | undefined): Account | null =>
  row === undefined || row.disabled !== 0 ? null : { id, username: row.username, role: roleOf(row.role) };
