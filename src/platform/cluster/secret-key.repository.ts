import { sql } from "kysely";
import type { Database } from "../db/database.ts";
import type { TableName } from "../db/schema.ts";
import { sealedPrefix } from "../../lib/secret-box.ts";

/** All columns whose texts the secret key has sealed (lib/secret-box.ts), with their purposes and what lacks them. */
export const SEALED_COLUMNS = [
  { table: "webhooks", column: "secret", purpose: "webhook", what: "webhook" },
  { table: "webhooks", column: "previous_secret", purpose: "webhook", what: null },
  { table: "authenticators", column: "secret", purpose: "totp", what: "authenticator app" },
  { table: "policies", column: "access_key", purpose: "policies.access_key", what: null },
  { table: "policies", column: "secret_key", purpose: "policies.secret_key", what: "storage policy" },
  { table: "imports", column: "secret", purpose: "import key", what: "import with a key" },
  { table: "oidc_sessions", column: "id_token", purpose: "oidc id token", what: null },
  { table: "certificates", column: "pair", purpose: "certificate", what: null },
  { table: "certificates", column: "order_key", purpose: "certificate order", what: null },
  { table: "acme_accounts", column: "private_key", purpose: "acme account", what: null },
  { table: "visitor_salts", column: "salt", purpose: "visitor salt", what: null },
] as const satisfies readonly {
  table: TableName;
  column: string;
  purpose: string;
  /** What is lost; null if nothing that matters, or if another column of the table counts. */
  what: string | null;
}[];

export async function readKeyFingerprint({ read }: Database): Promise<string | null> {
  const { key_fingerprint } = await read
    .selectFrom("instance")
    .select("key_fingerprint")
    .executeTakeFirstOrThrow();
  return key_fingerprint;
}

/** The first one stays. */
export async function claimKeyFingerprint({ write }: Database, fingerprint: string): Promise<void> {
  await write
    .updateTable("instance")
    .set({ key_fingerprint: fingerprint })
    .where("key_fingerprint", "is", null)
    .execute();
}

/** Any sealed text, with its purpose; null if the database has none. */
export async function findSealed({ read }: Database): Promise<{ sealed: string; purpose: string } | null> {
  for (const { table, column, purpose } of SEALED_COLUMNS) {
    const { rows } = await sql<{ sealed: string }>`
      select ${sql.ref(column)} as sealed from ${sql.table(table)}
      where ${sql.ref(column)} is not null limit 1`.execute(read);
    if (rows[0] !== undefined) return { sealed: rows[0].sealed, purpose };
  }
  return null;
}

/** How many of each have a secret that another key has sealed. */
export async function countSealedByOthers(
  { read }: Database,
  fingerprint: string,
): Promise<{ what: string; count: number }[]> {
  const counts = [];
  for (const { table, column, what } of SEALED_COLUMNS) {
    if (what === null) continue;
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from ${sql.table(table)}
      where ${sql.ref(column)} not like ${`${sealedPrefix(fingerprint)}%`}`.execute(read);
    const count = Number(rows[0]?.count ?? 0);
    if (count > 0) counts.push({ what, count });
  }
  return counts;
}

/** After the former key is lost. */
export async function replaceKeyFingerprint({ write }: Database, fingerprint: string): Promise<void> {
  await write.updateTable("instance").set({ key_fingerprint: fingerprint }).execute();
}
