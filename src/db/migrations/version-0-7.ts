/**
 * Version 0.7: the clicks of all links as a sum, whose uploads into drop boxes are unfinished, and the index of the texts
 * of links.
 */
import { sql } from "kysely";
import { addColumn, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  addColumn("0140_link_totals_clicks", "link_totals", "clicks", (w) => `${w.int} not null default 0`),
  addColumn("0141_link_totals_automated", "link_totals", "automated", (w) => `${w.int} not null default 0`),
  {
    name: "0142_link_totals_clicks_now",
    up: async (db) =>
      void (await sql`
        insert into link_totals (links, clicks, automated)
        select 0, counted.clicks - summed.clicks, counted.automated - summed.automated
        from (
          select coalesce(sum(clicks), 0) as clicks, coalesce(sum(automated), 0) as automated from link_clicks
        ) as counted
        cross join (
          select coalesce(sum(clicks), 0) as clicks, coalesce(sum(automated), 0) as automated from link_totals
        ) as summed
        where counted.clicks <> summed.clicks or counted.automated <> summed.automated`.execute(db)),
  },
  addColumn("0143_uploads_sender_address", "uploads", "sender_address", (w) => w.text(64)),
  { name: "0144_links_texts", up: (db, words) => words.createTextIndex(db) },
];
