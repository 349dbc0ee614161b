/**
 * Version 0.6: drop boxes and the files that they received, the trash, counts of tags by owner, and bulk changes that
 * can be undone.
 */
import { sql } from "kysely";
import { addColumn, createCounterTable, createIndex, createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  addColumn("0110_shares_max_bytes", "shares", "max_bytes", (w) => w.int),
  addColumn("0111_shares_max_files", "shares", "max_files", (w) => w.int),
  addColumn("0112_shares_max_file_size", "shares", "max_file_size", (w) => w.int),
  addColumn("0113_shares_bytes", "shares", "bytes", (w) => `${w.int} not null default 0`),
  addColumn("0114_shares_files", "shares", "files", (w) => `${w.int} not null default 0`),

  createTable("0115_drop_files", "drop_files", (w) => [
    `entry_id ${w.int} not null primary key`,
    `link_id ${w.int} not null`,
    `sender ${w.text(64)} not null`,
    `sender_name ${w.text(100)}`,
    `name ${w.text(255)} not null`,
    `created_at ${w.int} not null`,
    "constraint drop_files_entry foreign key (entry_id) references entries (id) on delete cascade",
  ]),
  createIndex("0116_drop_files_link", "drop_files", "drop_files_link_id", "link_id, sender, entry_id"),

  addColumn("0117_uploads_drop_link_id", "uploads", "drop_link_id", (w) => w.int),
  addColumn("0118_uploads_sender", "uploads", "sender", (w) => w.text(64)),
  addColumn("0119_uploads_sender_name", "uploads", "sender_name", (w) => w.text(100)),

  createTable("0120_trash", "trash", (w) => [
    `entry_id ${w.int} not null primary key`,
    `account_id ${w.int} not null`,
    `parent_id ${w.int} not null`,
    `name ${w.text(255)} not null`,
    `trashed_at ${w.int} not null`,
    "constraint trash_entry foreign key (entry_id) references entries (id) on delete cascade",
  ]),
  createIndex("0121_trash_account", "trash", "trash_account", "account_id, trashed_at, entry_id"),
  createIndex("0122_trash_at", "trash", "trash_trashed_at", "trashed_at, entry_id"),
  { name: "0123_entries_names", up: (db, words) => words.createNameIndex(db) },
  { name: "0124_entries_names_filled", up: (db, words) => words.fillNameIndex(db) },

  addColumn("0125_account_usage_moves", "account_usage", "moves", (w) => `${w.int} not null default 0`),

  addColumn("0130_shares_account", "shares", "account_id", (w) => `${w.int} not null default 0`),
  {
    name: "0131_shares_account_now",
    up: async (db) =>
      void (await sql`
        update shares set account_id = (select entries.account_id from entries where entries.id = shares.entry_id)`.execute(
        db,
      )),
  },
  createIndex("0132_shares_account_index", "shares", "shares_account", "account_id, link_id"),
  createCounterTable("0133_link_downloads", "link_downloads", (w) => [
    `link_id ${w.int} not null primary key`,
    `downloads ${w.int} not null`,
    "constraint link_downloads_link foreign key (link_id) references links (id) on delete cascade",
  ]),

  createCounterTable("0134_owner_tags", "owner_tags", (w) => [
    `owner_id ${w.int} not null`,
    `tag_id ${w.int} not null`,
    `links ${w.int} not null`,
    "primary key (owner_id, tag_id)",
  ]),
  {
    name: "0135_owner_tags_now",
    up: async (db) => {
      await sql`delete from owner_tags`.execute(db);
      await sql`
        insert into owner_tags (owner_id, tag_id, links)
        select links.owner_id, link_tags.tag_id, count(*)
        from links join link_tags on link_tags.link_id = links.id
        where links.owner_id is not null
        group by links.owner_id, link_tags.tag_id`.execute(db);
    },
  },
  addColumn("0136_events_bulk", "events", "bulk", (w) => w.int),
];
