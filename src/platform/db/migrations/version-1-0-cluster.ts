/** Version 1.0: what processes and nodes share. */
import { CLUSTER_TABLES } from "../cluster-tables.ts";
import { sql } from "kysely";
import { addColumn, createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  createTable("1068_changes", "changes", CLUSTER_TABLES.changes, ["index changes_created_at (created_at)"]),
  createTable("1069_leases", "leases", CLUSTER_TABLES.leases, ["primary key (name)"]),
  createTable("1070_instance", "instance", CLUSTER_TABLES.instance, ["primary key (id)"]),
  {
    name: "1071_instance_row",
    up: async (db) => {
      const { rows } = await sql`select 1 from instance where id = 1`.execute(db);
      if (rows.length > 0) return;
      const row = sql.join([1, crypto.randomUUID(), Date.now()]);
      await sql`insert into instance (id, uuid, created_at) values (${row})`.execute(db);
    },
  },
  createTable("1072_repeats", "repeats", CLUSTER_TABLES.repeats, [
    "primary key (id)",
    "index repeats_account (account_id, expires_at, size)",
    "index repeats_expiry (expires_at)",
  ]),
  addColumn("1073_instance_key", "instance", "key_fingerprint", "text(64)?"),
  createTable("1074_certificates", "certificates", CLUSTER_TABLES.certificates, ["primary key (host)"]),
  createTable("1075_acme_accounts", "acme_accounts", CLUSTER_TABLES.acme_accounts, ["primary key (id)"]),
];
