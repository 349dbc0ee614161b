/** Version 1.0: storage, files, shares and drop boxes. */
import { FILE_TABLES } from "../file-tables.ts";
import { createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  createTable("1045_policies", "policies", FILE_TABLES.policies, [
    "constraint policies_name unique (name)",
    "constraint policies_default unique (is_default)",
  ]),
  createTable("1046_blobs", "blobs", FILE_TABLES.blobs, [
    "constraint blobs_content unique (policy_id, sha256, retired)",
    "constraint blobs_object_key unique (object_key)",
    "constraint blobs_policy foreign key (policy_id) references policies (id)",
    "index blobs_state (state, checked_at)",
  ]),
  createTable("1047_entries", "entries", FILE_TABLES.entries, [
    "constraint entries_name unique (account_id, parent_id, name)",
    "constraint entries_policy foreign key (policy_id) references policies (id)",
    "constraint entries_blob foreign key (blob_id) references blobs (id)",
    "index entries_kind (account_id, parent_id, kind, name)",
    "index entries_policy_id (policy_id)",
    "index entries_blob_id (blob_id)",
  ]),
  { name: "1048_entries_search", up: (db, words) => words.createNameSearch(db) },
  createTable("1049_account_usage", "account_usage", FILE_TABLES.account_usage, ["primary key (account_id)"]),
  createTable("1050_uploads", "uploads", FILE_TABLES.uploads, [
    "primary key (id)",
    "constraint uploads_policy foreign key (policy_id) references policies (id)",
    "index uploads_expires_at (expires_at)",
    "index uploads_policy_id (policy_id)",
    "index uploads_account_id (account_id)",
  ]),
  createTable("1051_shares", "shares", FILE_TABLES.shares, [
    "primary key (link_id)",
    "constraint shares_link foreign key (link_id) references links (id) on delete cascade",
    "constraint shares_entry foreign key (entry_id) references entries (id)",
    "index shares_entry_id (entry_id)",
    "index shares_account (account_id, link_id)",
  ]),
  createTable("1052_staged_counts", "staged_counts", FILE_TABLES.staged_counts, [
    "primary key (policy_id)",
    "constraint staged_counts_policy foreign key (policy_id) references policies (id) on delete cascade",
  ]),
  createTable("1053_drop_files", "drop_files", FILE_TABLES.drop_files, [
    "primary key (entry_id)",
    "constraint drop_files_entry foreign key (entry_id) references entries (id) on delete cascade",
    "index drop_files_link_id (link_id, sender, entry_id)",
  ]),
  createTable("1054_trash", "trash", FILE_TABLES.trash, [
    "primary key (entry_id)",
    "constraint trash_entry foreign key (entry_id) references entries (id) on delete cascade",
    "index trash_account (account_id, trashed_at, entry_id)",
    "index trash_trashed_at (trashed_at, entry_id)",
  ]),
  createTable("1055_share_recipients", "share_recipients", FILE_TABLES.share_recipients, [
    "constraint share_recipients_email unique (link_id, email)",
    "constraint share_recipients_link foreign key (link_id) references links (id) on delete cascade",
  ]),
  createTable("1056_share_visits", "share_visits", FILE_TABLES.share_visits, [
    "constraint share_visits_link foreign key (link_id) references links (id) on delete cascade",
    "index share_visits_of_link (link_id, id)",
  ]),
  createTable("1057_share_items", "share_items", FILE_TABLES.share_items, [
    "primary key (link_id, entry_id)",
    "constraint share_items_link foreign key (link_id) references links (id) on delete cascade",
    "constraint share_items_entry foreign key (entry_id) references entries (id) on delete cascade",
    "index share_items_entry_id (entry_id)",
  ]),
  createTable("1058_transfers", "transfers", FILE_TABLES.transfers, [
    "primary key (entry_id)",
    "constraint transfers_entry foreign key (entry_id) references entries (id) on delete cascade",
    "index transfers_from (from_id)",
  ]),
  createTable("1059_dav_locks", "dav_locks", FILE_TABLES.dav_locks, ["primary key (id)"]),
  createTable("1060_dav_properties", "dav_properties", FILE_TABLES.dav_properties, [
    "primary key (id)",
    "constraint dav_properties_entry foreign key (id) references entries (id) on delete cascade",
  ]),
];
