import type { Database } from "../db/database.ts";
import type { Db } from "../db/dialect.ts";
import { roleOf } from "../lib/access.ts";
import { type Account, BUILT_IN_ADMIN } from "./account.ts";

/** Null when deleted or disabled. */
export async function findAccount(db: Db, id: number): Promise<Account | null> {
  if (id === BUILT_IN_ADMIN.id) return BUILT_IN_ADMIN;
  return accountOf(id, await accountRow(db, id).executeTakeFirst());
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
