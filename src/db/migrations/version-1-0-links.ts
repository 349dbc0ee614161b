/** Version 1.0: links. */
import { sql } from "kysely";
import { createCounterTable, createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  createTable(
    "1001_links",
    "links",
    (w) => [
      `id ${w.serial}`,
      `code ${w.text(140)} not null`,
      `target ${w.longText} not null`,
      `created_at ${w.int} not null`,
      `updated_at ${w.int} not null`,
      `expires_at ${w.int}`,
      `password_hash ${w.text(255)}`,
      `title ${w.text(200)}`,
      `note ${w.longText}`,
      `owner_id ${w.int}`,
      `created_by ${w.text(128)}`,
      `options ${w.longText}`,
      `held ${w.text(16)}`,
      `dead_since ${w.int}`,
      "constraint links_code unique (code)",
    ],
    {
      links_created_at: "created_at desc, code, expires_at",
      links_expires_at: "expires_at, id",
      links_owner: "owner_id, created_at desc, code",
      links_held: "held, created_at",
      links_dead_since: "dead_since",
    },
  ),
  { name: "1002_links_search", up: (db, words) => words.createLinkSearch(db) },
  createTable(
    "1003_link_clicks",
    "link_clicks",
    (w) => [
      `link_id ${w.int} not null primary key`,
      `clicks ${w.int} not null`,
      `ranked ${w.int} not null default 0`,
      `automated ${w.int} not null default 0`,
      "constraint link_clicks_link foreign key (link_id) references links (id) on delete cascade",
    ],
    {
      link_clicks_ranked: "ranked, link_id",
    },
  ),
  createTable(
    "1004_deleted_links",
    "deleted_links",
    (w) => [
      `link_id ${w.int} not null primary key`,
      `code ${w.text(140)} not null`,
      `deleted_at ${w.int} not null`,
      `deleted_by ${w.text(140)}`,
      `content ${w.longText}`,
      `owner_id ${w.int}`,
      `clicks ${w.int} not null default 0`,
      `automated ${w.int} not null default 0`,
    ],
    {
      deleted_links_deleted_at: "deleted_at, link_id",
      deleted_links_owner: "owner_id, deleted_at, link_id",
      deleted_links_code: "code",
    },
  ),
  createTable("1005_domains", "domains", (w) => [
    `id ${w.serial}`,
    `host ${w.text(253)} not null`,
    `default_url ${w.longText}`,
    `not_found_url ${w.longText}`,
    `expired_url ${w.longText}`,
    `created_at ${w.int} not null`,
    `updated_at ${w.int} not null`,
    `owner_id ${w.int}`,
    "constraint domains_host unique (host)",
  ]),
  createTable("1006_tags", "tags", (w) => [
    `id ${w.serial}`,
    `tag ${w.text(64)} not null`,
    `links ${w.int} not null`,
    "constraint tags_tag unique (tag)",
  ]),
  createCounterTable(
    "1007_link_tags",
    "link_tags",
    (w) => [
      `tag_id ${w.int} not null`,
      `link_id ${w.int} not null`,
      "primary key (tag_id, link_id)",
      "constraint link_tags_link foreign key (link_id) references links (id) on delete cascade",
    ],
    {
      link_tags_link_id: "link_id",
    },
  ),
  createTable(
    "1008_link_aliases",
    "link_aliases",
    (w) => [
      `code ${w.text(140)} not null primary key`,
      `link_id ${w.int} not null`,
      `created_at ${w.int} not null`,
      "constraint link_aliases_link foreign key (link_id) references links (id) on delete cascade",
    ],
    {
      link_aliases_link_id: "link_id",
    },
  ),
  createTable("1009_link_uses", "link_uses", (w) => [
    `link_id ${w.int} not null primary key`,
    `uses ${w.int} not null`,
    "constraint link_uses_link foreign key (link_id) references links (id) on delete cascade",
  ]),
  createTable("1010_link_totals", "link_totals", (w) => [
    `id ${w.serial}`,
    `links ${w.int} not null`,
    `clicks ${w.int} not null default 0`,
    `automated ${w.int} not null default 0`,
    `imported ${w.int} not null default 0`,
  ]),
  {
    name: "1011_link_totals_row",
    up: async (db) => {
      const { rows } = await sql`select 1 from link_totals limit 1`.execute(db);
      if (rows.length === 0) await sql`insert into link_totals (links) values (0)`.execute(db);
    },
  },
  createCounterTable("1012_link_downloads", "link_downloads", (w) => [
    `link_id ${w.int} not null primary key`,
    `downloads ${w.int} not null`,
    "constraint link_downloads_link foreign key (link_id) references links (id) on delete cascade",
  ]),
  createCounterTable("1013_owner_tags", "owner_tags", (w) => [
    `owner_id ${w.int} not null`,
    `tag_id ${w.int} not null`,
    `links ${w.int} not null`,
    "primary key (owner_id, tag_id)",
  ]),
  createTable("1014_target_checks", "target_checks", (w) => [
    `link_id ${w.int} not null primary key`,
    `failures ${w.int} not null`,
    `failed_since ${w.int} not null`,
    `checked_at ${w.int} not null`,
    `problem ${w.text(200)} not null`,
    "constraint target_checks_link foreign key (link_id) references links (id) on delete cascade",
  ]),
  createTable("1015_target_rounds", "target_rounds", (w) => [
    `id ${w.int} not null primary key`,
    `started_at ${w.int} not null`,
    `link_id ${w.int} not null`,
  ]),
  createTable(
    "1016_link_reports",
    "link_reports",
    (w) => [
      `id ${w.serial}`,
      `link_id ${w.int} not null`,
      `at ${w.int} not null`,
      `reason ${w.text(16)} not null`,
      `details ${w.text(1000)}`,
      `resolved_at ${w.int}`,
      `resolved_by ${w.text(128)}`,
      "constraint link_reports_link foreign key (link_id) references links (id) on delete cascade",
    ],
    {
      link_reports_link: "link_id, resolved_at",
      link_reports_open: "resolved_at, id",
    },
  ),
];
