import { createHash } from "node:crypto";
import type { Selectable } from "kysely";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { explainViolations } from "../../platform/db/failures.ts";
import type { Schema } from "../../platform/db/schema.ts";
import { camelCased, snakeCased } from "../../lib/case-names.ts";
import { appError } from "../../lib/errors.ts";
import type { Passkey } from "./passkey.ts";

export type PasskeyRepository = ReturnType<typeof createPasskeyRepository>;

export function createPasskeyRepository({ read, dialect }: Database) {
  return {
    /** Oldest first; an account has few. */
    async listOf(accountId: number, db: Db = read): Promise<Passkey[]> {
      const query = db.selectFrom("passkeys").selectAll().where("account_id", "=", accountId);
      return (await query.orderBy("id").execute()).map(toPasskey);
    },

    /** Whoever's it is. */
    async find(credentialId: string): Promise<Passkey | null> {
      const query = read.selectFrom("passkeys").selectAll().where("credential_hash", "=", hash(credentialId));
      const row = await query.executeTakeFirst();
      return row === undefined ? null : toPasskey(row);
    },

    async lock(tx: Db, id: number): Promise<Passkey | null> {
      const query = tx.selectFrom("passkeys").selectAll().where("id", "=", id);
      const row = await query.$call(dialect.forUpdate).executeTakeFirst();
      return row === undefined ? null : toPasskey(row);
    },

    /** @throws Conflict when an account has it already */
    insert(tx: Db, passkey: Omit<Passkey, "id">): Promise<number> {
      return explainViolations(() => dialect.insertReturningId(tx, "passkeys", toRow(passkey)), {
        unique: (cause) => appError("Conflict", "This passkey is registered already.", { cause }),
      });
    },

    async rename(tx: Db, id: number, name: string): Promise<void> {
      await tx.updateTable("passkeys").set({ name }).where("id", "=", id).execute();
    },

    async markUsed(tx: Db, id: number, used: { counter: number; backedUp: boolean; at: number }) {
      const { counter, backedUp, at } = used;
      const query = tx
        .updateTable("passkeys")
        .set({ counter, backed_up: Number(backedUp), last_used_at: at });
      await query.where("id", "=", id).execute();
    },

    async remove(tx: Db, id: number): Promise<void> {
      await tx.deleteFrom("passkeys").where("id", "=", id).execute();
    },
  };
}

/** Compared by bytes, whatever the database's collation. */
const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

const toPasskey = (row: Selectable<Schema["passkeys"]>): Passkey => ({
  ...camelCased(row),
  transports: row.transports.split(" ").filter((name) => name !== ""),
  backedUp: row.backed_up !== 0,
});

const toRow = (passkey: Omit<Passkey, "id">) => ({
  ...snakeCased(passkey),
  credential_hash: hash(passkey.credentialId),
  transports: passkey.transports.join(" "),
  backed_up: Number(passkey.backedUp),
});
