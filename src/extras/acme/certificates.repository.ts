import type { Queries } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import type { RowFields } from "../../platform/db/schema.ts";
import { camelCased, snakeCased } from "../../lib/case-names.ts";

export type StoredCertificate = RowFields<"certificates">;
/** What changes during an order, without the certificate. */
export type OrderSteps = Omit<StoredCertificate, "pair">;
export type CertificateRepository = ReturnType<typeof createCertificateRepository>;

const STEPS = [
  "host",
  "renew_at",
  "ask_at",
  "order_url",
  "order_key",
  "challenge",
  "failures",
  "failure",
  "try_at",
] as const;

export function createCertificateRepository({ read, dialect }: Pick<Queries, "read" | "dialect">) {
  return {
    /** Returns all by host; there are as many as domains. */
    async list(): Promise<StoredCertificate[]> {
      const rows = await read.selectFrom("certificates").selectAll().orderBy("host").execute();
      return rows.map((row) => camelCased(row));
    },

    async steps(): Promise<OrderSteps[]> {
      const rows = await read.selectFrom("certificates").select(STEPS).execute();
      return rows.map((row) => camelCased(row));
    },

    async find(hosts: readonly string[]): Promise<StoredCertificate[]> {
      const rows = await read.selectFrom("certificates").selectAll().where("host", "in", hosts).execute();
      return rows.map((row) => camelCased(row));
    },

    /** Makes the row if there is none. */
    async save(tx: Db, host: string, fields: Partial<Omit<StoredCertificate, "host">>): Promise<void> {
      await dialect.insertIgnore(tx, "certificates", ["host"], [{ host }]);
      await tx.updateTable("certificates").set(snakeCased(fields)).where("host", "=", host).execute();
    },

    async remove(tx: Db, host: string): Promise<void> {
      await tx.deleteFrom("certificates").where("host", "=", host).execute();
    },

    /** Sealed; undefined without an account. */
    async accountKey(id: string): Promise<string | undefined> {
      const row = await read
        .selectFrom("acme_accounts")
        .select("private_key")
        .where("id", "=", id)
        .executeTakeFirst();
      return row?.private_key;
    },

    async saveAccountKey(tx: Db, id: string, sealed: string, now: number): Promise<void> {
      await tx.deleteFrom("acme_accounts").where("id", "=", id).execute();
      await tx.insertInto("acme_accounts").values({ id, private_key: sealed, created_at: now }).execute();
    },
  };
}
