/** Version 1.0: tables of files whose numbers follow those of all others. */
import { FILE_TABLES } from "../file-tables.ts";
import { createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  createTable("1077_file_versions", "file_versions", FILE_TABLES.file_versions, [
    "constraint file_versions_entry foreign key (entry_id) references entries (id)",
    "constraint file_versions_blob foreign key (blob_id) references blobs (id)",
    "index file_versions_of_entry (entry_id, id)",
    "index file_versions_blob_id (blob_id)",
    "index file_versions_replaced_at (replaced_at, id)",
  ]),
  createTable("1078_storage_moves", "storage_moves", FILE_TABLES.storage_moves, [
    "primary key (policy_id)",
    "constraint storage_moves_policy foreign key (policy_id) references policies (id) on delete cascade",
    "constraint storage_moves_to foreign key (to_id) references policies (id) on delete cascade",
    "index storage_moves_to_id (to_id)",
  ]),
  createTable("1079_storage_move_failures", "storage_move_failures", FILE_TABLES.storage_move_failures, [
    "primary key (blob_id)",
    "constraint storage_move_failures_blob foreign key (blob_id) references blobs (id) on delete cascade",
    "index storage_move_failures_policy_id (policy_id)",
  ]),
  createTable("1080_drop_senders", "drop_senders", FILE_TABLES.drop_senders, [
    "primary key (link_id, sender)",
    "constraint drop_senders_link foreign key (link_id) references links (id) on delete cascade",
    "constraint drop_senders_folder foreign key (folder_id) references entries (id) on delete cascade",
    "index drop_senders_folder_id (folder_id)",
  ]),
  createTable("1081_linked_folders", "linked_folders", FILE_TABLES.linked_folders, [
    "primary key (entry_id)",
    "constraint linked_folders_entry foreign key (entry_id) references entries (id) on delete cascade",
  ]),
  createTable("1082_copies", "copies", FILE_TABLES.copies, [
    "primary key (entry_id)",
    "constraint copies_entry foreign key (entry_id) references entries (id) on delete cascade",
    "index copies_account_id (account_id)",
  ]),
  createTable("1083_copy_items", "copy_items", FILE_TABLES.copy_items, [
    "constraint copy_items_source unique (entry_id, level, source_id)",
    "constraint copy_items_entry foreign key (entry_id) references entries (id) on delete cascade",
  ]),
];
