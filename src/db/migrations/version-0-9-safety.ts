/** Version 0.9: links that wait or were taken down, reports of visitors, and checks of targets. */
import { addColumn, createIndex, createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  addColumn("0190_links_held", "links", "held", (w) => w.text(16)),
  addColumn("0191_links_dead_since", "links", "dead_since", (w) => w.int),
  createIndex("0192_links_held_index", "links", "links_held", "held, created_at"),
  createIndex("0193_links_dead_since_index", "links", "links_dead_since", "dead_since"),
  createTable("0194_target_checks", "target_checks", (w) => [
    `link_id ${w.int} not null primary key`,
    `failures ${w.int} not null`,
    `failed_since ${w.int} not null`,
    `checked_at ${w.int} not null`,
    `problem ${w.text(200)} not null`,
    "constraint target_checks_link foreign key (link_id) references links (id) on delete cascade",
  ]),
  createTable("0195_target_rounds", "target_rounds", (w) => [
    `id ${w.int} not null primary key`,
    `started_at ${w.int} not null`,
    `link_id ${w.int} not null`,
  ]),
  createTable("0196_link_reports", "link_reports", (w) => [
    `id ${w.serial}`,
    `link_id ${w.int} not null`,
    `at ${w.int} not null`,
    `reason ${w.text(16)} not null`,
    `details ${w.text(1000)}`,
    `resolved_at ${w.int}`,
    `resolved_by ${w.text(128)}`,
    "constraint link_reports_link foreign key (link_id) references links (id) on delete cascade",
  ]),
  createIndex("0197_link_reports_link", "link_reports", "link_reports_link", "link_id, resolved_at"),
  createIndex("0198_link_reports_open", "link_reports", "link_reports_open", "resolved_at, id"),
];
