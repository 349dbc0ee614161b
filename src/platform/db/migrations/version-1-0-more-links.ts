/** Version 1.0: links that are made once, and titles of targets. */
import { sql } from "kysely";
import { LINK_TABLES, REUSE_TURNS } from "../link-tables.ts";
import { createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  createTable("1088_reuse_turns", "reuse_turns", LINK_TABLES.reuse_turns, ["primary key (id)"]),
  {
    name: "1089_reuse_turns_rows",
    up: async (db) => {
      const { rows } = await sql`select 1 from reuse_turns limit 1`.execute(db);
      const ids = Array.from({ length: REUSE_TURNS }, (_, id) => sql`(${sql.lit(id)})`);
      if (rows.length === 0) await sql`insert into reuse_turns (id) values ${sql.join(ids)}`.execute(db);
    },
  },
  createTable("1090_title_fetches", "title_fetches", LINK_TABLES.title_fetches, [
    "primary key (link_id)",
    "constraint title_fetches_link foreign key (link_id) references links (id) on delete cascade",
  ]),
];
