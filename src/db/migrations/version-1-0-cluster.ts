/** Version 1.0: what processes and nodes share. */
import { sql } from "kysely";
import { createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  createTable("1068_changes", "changes", (w) => [
    `id ${w.serial}`,
    `topic ${w.text(32)} not null`,
    `payload ${w.longText} not null`,
    `origin ${w.text(36)} not null`,
    `created_at ${w.int} not null`,
    "index changes_created_at (created_at)",
  ]),
  createTable("1069_leases", "leases", (w) => [
    `name ${w.text(64)} not null primary key`,
    `owner ${w.text(128)} not null`,
    `expires_at ${w.int} not null`,
  ]),
  createTable("1070_instance", "instance", (w) => [
    `id ${w.int} not null primary key`,
    `uuid ${w.text(36)} not null`,
    `created_at ${w.int} not null`,
  ]),
  {
    name: "1071_instance_row",
    up: async (db) => {
      const { rows } = await sql`select 1 from instance where id = 1`.execute(db);
      if (rows.length > 0) return;
      const row = sql.join([1, crypto.randomUUID(), Date.now()]);
      await sql`insert into instance (id, uuid, created_at) values (${row})`.execute(db);
    },
  },
  createTable("1072_repeats", "repeats", (w) => [
    `id ${w.text(64)} not null primary key`,
    `account_id ${w.int} not null`,
    `fingerprint ${w.text(64)} not null`,
    `claim ${w.text(36)} not null`,
    `state ${w.text(8)} not null`,
    `claimed_until ${w.int} not null`,
    `expires_at ${w.int} not null`,
    `size ${w.int} not null`,
    `answer ${w.longText}`,
    "index repeats_account (account_id, expires_at, size)",
    "index repeats_expiry (expires_at)",
  ]),
];
