/** Version 0.9: shared folders that take files, and several items in one share. */
import { addColumn, createIndex, createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  addColumn("0225_shares_two_way", "shares", "two_way", (w) => `${w.int} not null default 0`),
  addColumn("0226_shares_several", "shares", "several", (w) => `${w.int} not null default 0`),
  createTable("0227_share_items", "share_items", (w) => [
    `link_id ${w.int} not null`,
    `entry_id ${w.int} not null`,
    "primary key (link_id, entry_id)",
    "constraint share_items_link foreign key (link_id) references links (id) on delete cascade",
    "constraint share_items_entry foreign key (entry_id) references entries (id) on delete cascade",
  ]),
  createIndex("0228_share_items_entry", "share_items", "share_items_entry_id", "entry_id"),
];
