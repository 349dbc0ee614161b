/** Version 0.9: what sessions are listed by, second factors and passkeys. */
import { addColumn, createIndex, createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  addColumn("0170_sessions_address", "sessions", "address", (w) => w.text(64)),
  addColumn("0171_sessions_browser", "sessions", "browser", (w) => w.text(64)),
  addColumn("0172_sessions_os", "sessions", "os", (w) => w.text(64)),
  createTable("0173_authenticators", "authenticators", (w) => [
    `account_id ${w.int} not null primary key`,
    `secret ${w.text(255)} not null`,
    `confirmed_at ${w.int}`,
    `last_step ${w.int} not null`,
    `created_at ${w.int} not null`,
  ]),
  createTable("0174_recovery_codes", "recovery_codes", (w) => [
    `account_id ${w.int} not null`,
    `hash ${w.text(64)} not null`,
    "primary key (account_id, hash)",
  ]),
  createTable("0175_passkeys", "passkeys", (w) => [
    `id ${w.serial}`,
    `account_id ${w.int} not null`,
    `name ${w.text(64)} not null`,
    `credential_hash ${w.text(64)} not null`,
    `credential_id ${w.longText} not null`,
    `public_key ${w.longText} not null`,
    `counter ${w.int} not null`,
    `transports ${w.text(128)} not null`,
    `backed_up ${w.int} not null`,
    `created_at ${w.int} not null`,
    `last_used_at ${w.int}`,
    "constraint passkeys_credential unique (credential_hash)",
  ]),
  createIndex("0176_passkeys_account", "passkeys", "passkeys_account", "account_id"),
];
