/** Version 1.0: the time zone of the sums of clicks. */
import { sql } from "kysely";
import { CLICK_TABLES } from "../click-tables.ts";
import { createTable, type Step } from "./step.ts";

export const steps: readonly Step[] = [
  createTable("1096_click_zones", "click_zones", CLICK_TABLES.click_zones, ["primary key (id)"]),
  {
    name: "1097_click_zones_row",
    up: async (db) => {
      const { rows } = await sql`select 1 from click_zones`.execute(db);
      if (rows.length > 0) return;
      const zones = JSON.stringify({
        zones: [{ zone: "UTC", from: 0 }],
        moving: null,
        exactFrom: 0,
        recount: null,
      });
      await sql`insert into click_zones (id, zones) values (${sql.join([1, zones])})`.execute(db);
    },
  },
];
