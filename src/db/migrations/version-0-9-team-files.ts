/** Version 0.9: files of teams, and large folders on their way to another owner. */
import { addColumn, createIndex, createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  addColumn("0230_teams_quota", "teams", "quota_bytes", (w) => `${w.int} not null default 0`),
  createTable("0231_transfers", "transfers", (w) => [
    `entry_id ${w.int} not null primary key`,
    `from_id ${w.int} not null`,
    `to_id ${w.int} not null`,
    `parent_id ${w.int} not null`,
    `name ${w.text(255)} not null`,
    `is_whole ${w.int} not null`,
    `bytes ${w.int} not null`,
    "constraint transfers_entry foreign key (entry_id) references entries (id) on delete cascade",
  ]),
  createIndex("0232_transfers_from", "transfers", "transfers_from", "from_id"),
];
