/**
 * Version 0.5: domains, more fields of links, tags, aliases, events, deleted links that can be restored, API tokens,
 * automated clicks beside all clicks, and the total of links.
 */
import { sql } from "kysely";
import { addColumn, createCounterTable, createIndex, createTable, type Step } from "./step.ts";

const automated = (name: string, table: Parameters<typeof addColumn>[1]): Step =>
  addColumn(name, table, "automated", (w) => `${w.int} not null default 0`);

export const steps: readonly Step[] = [
  createTable("0070_domains", "domains", (w) => [
    `id ${w.serial}`,
    `host ${w.text(253)} not null`,
    `default_url ${w.longText}`,
    `not_found_url ${w.longText}`,
    `expired_url ${w.longText}`,
    `created_at ${w.int} not null`,
    `updated_at ${w.int} not null`,
    "constraint domains_host unique (host)",
  ]),

  addColumn("0071_links_title", "links", "title", (w) => w.text(200)),
  addColumn("0072_links_note", "links", "note", (w) => w.longText),
  addColumn("0073_links_owner", "links", "owner_id", (w) => w.int),
  addColumn("0074_links_created_by", "links", "created_by", (w) => w.text(128)),
  addColumn("0075_links_options", "links", "options", (w) => w.longText),
  createIndex("0076_links_owner", "links", "links_owner", "owner_id, created_at desc, code"),
  { name: "0077_links_text", up: (db, words) => words.widenLinks(db) },

  createTable("0078_tags", "tags", (w) => [
    `id ${w.serial}`,
    `tag ${w.text(64)} not null`,
    `links ${w.int} not null`,
    "constraint tags_tag unique (tag)",
  ]),
  createCounterTable("0079_link_tags", "link_tags", (w) => [
    `tag_id ${w.int} not null`,
    `link_id ${w.int} not null`,
    "primary key (tag_id, link_id)",
    "constraint link_tags_link foreign key (link_id) references links (id) on delete cascade",
  ]),
  createIndex("0080_link_tags_link", "link_tags", "link_tags_link_id", "link_id"),

  createTable("0081_link_aliases", "link_aliases", (w) => [
    `code ${w.text(140)} not null primary key`,
    `link_id ${w.int} not null`,
    `created_at ${w.int} not null`,
    "constraint link_aliases_link foreign key (link_id) references links (id) on delete cascade",
  ]),
  createIndex("0082_link_aliases_link", "link_aliases", "link_aliases_link_id", "link_id"),

  createTable("0083_link_uses", "link_uses", (w) => [
    `link_id ${w.int} not null primary key`,
    `uses ${w.int} not null`,
    "constraint link_uses_link foreign key (link_id) references links (id) on delete cascade",
  ]),

  createTable("0084_events", "events", (w) => [
    `id ${w.serial}`,
    `at ${w.int} not null`,
    `actor ${w.text(140)} not null`,
    `via ${w.text(16)} not null`,
    `action ${w.text(32)} not null`,
    `subject ${w.text(300)} not null`,
    `subject_id ${w.int}`,
    `${w.quote("before")} ${w.longText}`,
    `${w.quote("after")} ${w.longText}`,
  ]),
  createIndex("0085_events_at", "events", "events_at", "at, id"),
  createIndex("0086_events_action", "events", "events_action", "action, at, id"),
  createIndex("0087_events_actor", "events", "events_actor", "actor, at, id"),
  createIndex("0088_events_subject", "events", "events_subject", "subject, at, id"),
  createIndex("0089_events_subject_id", "events", "events_subject_id", "subject_id, at, id"),

  addColumn("0090_deleted_links_by", "deleted_links", "deleted_by", (w) => w.text(140)),
  addColumn("0091_deleted_links_content", "deleted_links", "content", (w) => w.longText),
  createIndex("0092_deleted_links_at", "deleted_links", "deleted_links_deleted_at", "deleted_at, link_id"),

  createTable("0093_tokens", "tokens", (w) => [
    `id ${w.serial}`,
    `user_id ${w.int} not null`,
    `name ${w.text(64)} not null`,
    `hash ${w.text(64)} not null`,
    `scopes ${w.text(255)} not null`,
    `created_at ${w.int} not null`,
    `expires_at ${w.int}`,
    `last_used_at ${w.int}`,
    "constraint tokens_hash unique (hash)",
    "constraint tokens_name unique (user_id, name)",
  ]),

  automated("0094_link_clicks_automated", "link_clicks"),
  automated("0095_click_hours_automated", "click_hours"),
  automated("0096_click_days_automated", "click_days"),
  automated("0097_click_months_automated", "click_months"),
  automated("0098_click_dim_hours_automated", "click_dim_hours"),
  automated("0099_click_dim_days_automated", "click_dim_days"),
  automated("0100_click_dim_months_automated", "click_dim_months"),
  automated("0101_click_log_automated", "click_log"),

  createTable("0102_link_totals", "link_totals", (w) => [`id ${w.serial}`, `links ${w.int} not null`]),
  {
    name: "0103_link_totals_now",
    up: async (db) =>
      void (await sql`
        insert into link_totals (links) select counted.n from (
          select (select count(*) from links) - (select coalesce(sum(links), 0) from link_totals) as n
        ) as counted`.execute(db)),
  },
  addColumn("0104_deleted_links_owner", "deleted_links", "owner_id", (w) => w.int),
  addColumn("0105_deleted_links_clicks", "deleted_links", "clicks", (w) => `${w.int} not null default 0`),
  automated("0106_deleted_links_automated", "deleted_links"),
  createIndex(
    "0107_deleted_links_owner",
    "deleted_links",
    "deleted_links_owner",
    "owner_id, deleted_at, link_id",
  ),
];
