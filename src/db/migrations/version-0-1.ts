import { sql } from "kysely";
import { createIndex, createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  createTable("0001_links", "links", (w) => [
    `id ${w.serial}`,
    `code ${w.text(128)} not null`,
    `target ${w.longText} not null`,
    `created_at ${w.int} not null`,
    `updated_at ${w.int} not null`,
    `expires_at ${w.int}`,
    `password_hash ${w.text(255)}`,
    "constraint links_code unique (code)",
  ]),
  createIndex("0002_links_created_at", "links", "links_created_at", "created_at desc, code, expires_at"),
  createIndex("0003_links_expires_at", "links", "links_expires_at", "expires_at, id"),
  { name: "0004_links_search", up: (db, words) => words.createSearchIndex(db) },

  createTable("0005_link_clicks", "link_clicks", (w) => [
    `link_id ${w.int} not null primary key`,
    `clicks ${w.int} not null`,
    "constraint link_clicks_link foreign key (link_id) references links (id) on delete cascade",
  ]),

  createTable("0006_settings", "settings", (w) => [
    `${w.quote("key")} ${w.text(128)} not null primary key`,
    `value ${w.longText} not null`,
    `updated_at ${w.int} not null`,
    `updated_by ${w.text(128)} not null`,
  ]),
  createTable("0007_settings_history", "settings_history", (w) => [
    `id ${w.serial}`,
    `${w.quote("key")} ${w.text(128)} not null`,
    `old_value ${w.longText}`,
    `new_value ${w.longText}`,
    `changed_at ${w.int} not null`,
    `changed_by ${w.text(128)} not null`,
  ]),
  {
    name: "0008_settings_history_key",
    up: (db, w) =>
      w.createIndex(db, {
        name: "settings_history_key",
        table: "settings_history",
        columns: `${w.quote("key")}, id`,
      }),
  },

  createTable("0009_users", "users", (w) => [
    `id ${w.serial}`,
    `username ${w.text(64)} not null`,
    `password_hash ${w.text(255)} not null`,
    `role ${w.text(16)} not null`,
    `disabled ${w.int} not null`,
    `created_at ${w.int} not null`,
    `updated_at ${w.int} not null`,
    "constraint users_username unique (username)",
  ]),
  createTable("0010_sessions", "sessions", (w) => [
    `id ${w.text(36)} not null primary key`,
    `user_id ${w.int} not null`,
    `created_at ${w.int} not null`,
    `expires_at ${w.int} not null`,
    `refresh_jti ${w.text(64)} not null`,
    `previous_jti ${w.text(64)}`,
    `rotated_at ${w.int}`,
    `revoked_at ${w.int}`,
  ]),
  createIndex("0011_sessions_user_id", "sessions", "sessions_user_id", "user_id"),
  createIndex("0012_sessions_expires_at", "sessions", "sessions_expires_at", "expires_at"),
  createTable("0013_login_failures", "login_failures", (w) => [
    `account ${w.text(128)} not null primary key`,
    `failures ${w.int} not null`,
    `retry_at ${w.int} not null`,
    `updated_at ${w.int} not null`,
  ]),

  createTable("0014_changes", "changes", (w) => [
    `id ${w.serial}`,
    `topic ${w.text(32)} not null`,
    `payload ${w.longText} not null`,
    `origin ${w.text(36)} not null`,
    `created_at ${w.int} not null`,
  ]),
  createIndex("0015_changes_created_at", "changes", "changes_created_at", "created_at"),
  createTable("0016_leases", "leases", (w) => [
    `name ${w.text(64)} not null primary key`,
    `owner ${w.text(128)} not null`,
    `expires_at ${w.int} not null`,
  ]),
  createTable("0017_journals", "journals", (w) => [
    `id ${w.text(36)} not null primary key`,
    `position ${w.int} not null`,
    `updated_at ${w.int} not null`,
  ]),

  createTable("0018_instance", "instance", (w) => [
    `id ${w.int} not null primary key`,
    `uuid ${w.text(36)} not null`,
    `created_at ${w.int} not null`,
  ]),
  {
    name: "0019_instance_row",
    up: async (db) => {
      const { rows } = await sql`select 1 from instance where id = 1`.execute(db);
      if (rows.length > 0) return;
      const row = sql.join([1, crypto.randomUUID(), Date.now()]);
      await sql`insert into instance (id, uuid, created_at) values (${row})`.execute(db);
    },
  },
];
