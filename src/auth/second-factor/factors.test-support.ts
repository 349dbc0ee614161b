/** Test support: accounts with factors, and sessions of each kind, without their sign-ins. */
import type { Database } from "../../platform/db/database.ts";
import type { SignInMethod } from "../../lib/credential.ts";
import { createSecretBox } from "../../lib/secret-box.ts";
import { ADMIN_PASSWORD, type AuthHarness } from "../auth.test-support.ts";
import type { Account } from "../account.ts";
import { PURPOSE, hashOfRecoveryCode } from "./codes.ts";

export const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
export const RECOVERY_CODE = "aaaa-bbbb-cccc-dddd";

let made = 0;

export async function accountWith(
  { write }: Database,
  { auth }: AuthHarness,
  { app = false, passkey = false }: { app?: boolean; passkey?: boolean },
): Promise<Account & { passkeyId: number }> {
  const username = `holder${++made}-${crypto.randomUUID().slice(0, 8)}`;
  const user = await auth.users.create({
    username,
    password: ADMIN_PASSWORD,
    role: "admin",
    disabled: false,
  });
  const { id } = user;
  if (app) {
    const secret = await createSecretBox(() => new Uint8Array(32)).seal(SECRET, PURPOSE);
    const row = { account_id: id, secret, confirmed_at: 1, last_step: 0, created_at: 1 };
    await write.insertInto("authenticators").values(row).execute();
    const code = { account_id: id, hash: hashOfRecoveryCode(id, RECOVERY_CODE) };
    await write.insertInto("recovery_codes").values(code).execute();
  }
  if (passkey) {
    const key = { name: "phone", credential_hash: username, credential_id: username, public_key: "" };
    const rest = { counter: 0, transports: "", backed_up: 0, created_at: 1, last_used_at: null };
    await write
      .insertInto("passkeys")
      .values({ account_id: id, ...key, ...rest })
      .execute();
  }
  const found = await write
    .selectFrom("passkeys")
    .select("id")
    .where("account_id", "=", id)
    .executeTakeFirst();
  return { id, username, role: "admin", passkeyId: found?.id ?? 999_999 };
}

/** The access token. `factorId`: the former session of the browser that has shown the second factor. */
export async function sessionOf(
  { auth, changes }: AuthHarness,
  account: Account,
  by: SignInMethod | null,
  factorId: string | null = null,
): Promise<string> {
  const client = { address: null, browser: null, os: null };
  const session = await changes.write((tx) => auth.sessions.open(tx, account.id, client, by as SignInMethod));
  return (await auth.sessions.sign(session, account, factorId)).access;
}
