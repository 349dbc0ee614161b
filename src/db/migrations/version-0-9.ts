/** Version 0.9: teams, and owners of domains. */
import { addColumn, createIndex, createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  createTable("0160_teams", "teams", (w) => [
    `id ${w.serial}`,
    `name ${w.text(64)} not null`,
    `created_at ${w.int} not null`,
    `updated_at ${w.int} not null`,
    "constraint teams_name unique (name)",
  ]),
  createTable("0161_team_members", "team_members", (w) => [
    `team_id ${w.int} not null`,
    `account_id ${w.int} not null`,
    `role ${w.text(16)} not null`,
    "primary key (team_id, account_id)",
    "constraint team_members_team foreign key (team_id) references teams (id) on delete cascade",
  ]),
  createIndex("0162_team_members_account", "team_members", "team_members_account", "account_id, team_id"),
  addColumn("0163_domains_owner", "domains", "owner_id", (w) => w.int),
];
