/** Version 0.9: messages and recipients of shares, and what recipients did. */
import { addColumn, createIndex, createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  addColumn("0220_shares_message", "shares", "message", (w) => w.text(2000)),
  addColumn("0221_shares_verify", "shares", "verify", (w) => `${w.int} not null default 0`),
  createTable("0222_share_recipients", "share_recipients", (w) => [
    `id ${w.serial}`,
    `link_id ${w.int} not null`,
    `email ${w.text(254)} not null`,
    `code_hash ${w.text(64)}`,
    `code_until ${w.int} not null`,
    `code_tries ${w.int} not null`,
    `codes_full_at ${w.int} not null`,
    "constraint share_recipients_email unique (link_id, email)",
    "constraint share_recipients_link foreign key (link_id) references links (id) on delete cascade",
  ]),
  createTable("0223_share_visits", "share_visits", (w) => [
    `id ${w.serial}`,
    `link_id ${w.int} not null`,
    `email ${w.text(254)} not null`,
    `action ${w.text(16)} not null`,
    `name ${w.text(255)}`,
    `at ${w.int} not null`,
    "constraint share_visits_link foreign key (link_id) references links (id) on delete cascade",
  ]),
  createIndex("0224_share_visits_of_link", "share_visits", "share_visits_of_link", "link_id, id"),
];
