/** Secrets that work once: used ones are in `login_failures` until stale delays go, long after they have ended. */
import { createHash } from "node:crypto";
import type { Db } from "../platform/db/dialect.ts";
import { unlessTaken } from "../platform/db/queries.ts";

/** False when it was used already, by any process. The transaction has to end then. */
export function useOnce(
  tx: Db,
  { kind, secret }: { kind: "passkey" | "oidc"; secret: string },
  { end, now }: { end: number; now: number },
): Promise<boolean> {
  const account = `${kind} ${createHash("sha256").update(secret).digest("hex")}`;
  const row = { account, failures: 0, retry_at: end, updated_at: now };
  return unlessTaken(() => tx.insertInto("login_failures").values(row).execute());
}
