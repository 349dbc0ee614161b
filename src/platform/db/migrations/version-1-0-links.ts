/** Version 1.0: links. */
import { LINK_TABLES } from "../link-tables.ts";
import { sql } from "kysely";
import { createCounterTable, createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  createTable("1001_links", "links", LINK_TABLES.links, [
    "constraint links_code unique (code)",
    "index links_created_at (created_at desc, code, expires_at)",
    "index links_expires_at (expires_at, id)",
    "index links_owner (owner_id, created_at desc, code)",
    "index links_held (held, created_at)",
    "index links_dead_since (dead_since)",
    "index links_target (target_hash, owner_id)",
  ]),
  { name: "1002_links_search", up: (db, words) => words.createLinkSearch(db) },
  createTable("1003_link_clicks", "link_clicks", LINK_TABLES.link_clicks, [
    "primary key (link_id)",
    "constraint link_clicks_link foreign key (link_id) references links (id) on delete cascade",
    "index link_clicks_ranked (ranked, link_id)",
    "index link_clicks_ranked_human (ranked_human, link_id)",
  ]),
  createTable("1004_deleted_links", "deleted_links", LINK_TABLES.deleted_links, [
    "primary key (link_id)",
    "index deleted_links_deleted_at (deleted_at, link_id)",
    "index deleted_links_owner (owner_id, deleted_at, link_id)",
    "index deleted_links_code (code)",
  ]),
  createTable("1005_domains", "domains", LINK_TABLES.domains, ["constraint domains_host unique (host)"]),
  createTable("1006_tags", "tags", LINK_TABLES.tags, ["constraint tags_tag unique (tag)"]),
  createCounterTable("1007_link_tags", "link_tags", LINK_TABLES.link_tags, [
    "primary key (tag_id, link_id)",
    "constraint link_tags_link foreign key (link_id) references links (id) on delete cascade",
    "index link_tags_link_id (link_id)",
  ]),
  createTable("1008_link_aliases", "link_aliases", LINK_TABLES.link_aliases, [
    "primary key (code)",
    "constraint link_aliases_link foreign key (link_id) references links (id) on delete cascade",
    "index link_aliases_link_id (link_id)",
  ]),
  createTable("1009_link_uses", "link_uses", LINK_TABLES.link_uses, [
    "primary key (link_id)",
    "constraint link_uses_link foreign key (link_id) references links (id) on delete cascade",
  ]),
  createTable("1010_link_totals", "link_totals", LINK_TABLES.link_totals, []),
  {
    name: "1011_link_totals_row",
    up: async (db) => {
      const { rows } = await sql`select 1 from link_totals limit 1`.execute(db);
      if (rows.length === 0) await sql`insert into link_totals (links) values (0)`.execute(db);
    },
  },
  createCounterTable("1012_link_downloads", "link_downloads", LINK_TABLES.link_downloads, [
    "primary key (link_id)",
    "constraint link_downloads_link foreign key (link_id) references links (id) on delete cascade",
  ]),
  createCounterTable("1013_owner_tags", "owner_tags", LINK_TABLES.owner_tags, [
    "primary key (owner_id, tag_id)",
  ]),
  createTable("1014_target_checks", "target_checks", LINK_TABLES.target_checks, [
    "primary key (link_id)",
    "constraint target_checks_link foreign key (link_id) references links (id) on delete cascade",
  ]),
  createTable("1015_target_rounds", "target_rounds", LINK_TABLES.target_rounds, ["primary key (id)"]),
  createTable("1016_link_reports", "link_reports", LINK_TABLES.link_reports, [
    "constraint link_reports_link foreign key (link_id) references links (id) on delete cascade",
    "index link_reports_link (link_id, resolved_at)",
    "index link_reports_open (resolved_at, id)",
  ]),
];
