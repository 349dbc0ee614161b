/**
 * Where the database contradicts itself about clicks. Sums by hour, day and month equal the counts; raw rows and sums by
 * value equal the counts less the details that `detail_drops` lists as dropped.
 */
import { sql } from "kysely";
import { openDatabase } from "../../src/platform/db/database.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import { type ClickTally, compareCounts } from "../support/click-tally.ts";

/** Each must equal link_clicks, by link. */
const COUNTS_BY_LINK = {
  hours: sql`select link_id, sum(clicks) as clicks, sum(automated) as automated from click_hours where link_id <> 0 group by link_id`,
  days: sql`select link_id, sum(clicks) as clicks, sum(automated) as automated from click_days where link_id <> 0 group by link_id`,
  months: sql`select link_id, sum(clicks) as clicks, sum(automated) as automated from click_months where link_id <> 0 group by link_id`,
};
/** The same less the clicks with dropped details, which are known only for all links together. */
const DETAILS_BY_LINK = {
  log: sql`select link_id, count(*) as clicks, sum(automated) as automated from click_log group by link_id`,
  referrers: sql`select link_id, sum(clicks) as clicks, sum(automated) as automated from click_dim_days where link_id <> 0 and dimension = 1 group by link_id`,
  agents: sql`select link_id, sum(clicks) as clicks, sum(automated) as automated from click_dim_days where link_id <> 0 and dimension = 3 group by link_id`,
};
/** Each must equal the total of link_clicks. */
const COUNTS = {
  hours: sql`select sum(clicks) as clicks, sum(automated) as automated from click_hours where link_id = 0`,
  days: sql`select sum(clicks) as clicks, sum(automated) as automated from click_days where link_id = 0`,
  months: sql`select sum(clicks) as clicks, sum(automated) as automated from click_months where link_id = 0`,
};
/** The same less the clicks with dropped details. */
const DETAILS = {
  hourReferrers: sql`select sum(clicks) as clicks, sum(automated) as automated from click_dim_hours where dimension = 1`,
  dayReferrers: sql`select sum(clicks) as clicks, sum(automated) as automated from click_dim_days where link_id = 0 and dimension = 1`,
  monthAgents: sql`select sum(clicks) as clicks, sum(automated) as automated from click_dim_months where link_id = 0 and dimension = 3`,
  agentsOfRows: sql`select count(*) as clicks, sum(click_log.automated) as automated from click_log join user_agents on user_agents.id = user_agent_id join click_values on click_values.id = value_id`,
};

type Sum = { link_id?: number; clicks: number | null; automated: number | null };

/** `counted`: clicks of an export. `automated`: requests of automated visitors, compared with their counts. */
export async function disagreements(url: string, counted: number, automated: ClickTally): Promise<string[]> {
  const database = await openDatabase({ url, poolSize: 1 }, { threads: false, logger: silentLogger });
  const ask = async (query: ReturnType<typeof sql>): Promise<Sum[]> =>
    (await query.execute(database.read)).rows as Sum[];
  try {
    const { rows } = await sql<{ code: string; automated: number }>`
      select code, automated from links join link_clicks on link_id = id`.execute(database.read);
    const byCode = new Map(rows.map((row) => [row.code, Number(row.automated)]));
    const counts = await ask(sql`select link_id, clicks, automated from link_clicks where clicks > 0`);
    const drops = await ask(sql`select sum(clicks) as clicks, 0 as automated from detail_drops`);
    const dropped = Number(drops[0]?.clicks ?? 0);
    const total = counts.reduce((all, { clicks }) => all + Number(clicks), 0);
    const wrong = total === counted ? [] : [`exported ${counted}, counted ${total}`];
    wrong.push(...compareCounts(automated, byCode).map((line) => `automated: ${line}`));
    for (const column of ["clicks", "automated"] as const) {
      const sum = counts.reduce((all, row) => all + Number(row[column]), 0);
      const say = (line: string) => wrong.push(`${column}: ${line}`);
      for (const [name, query] of Object.entries({ ...COUNTS_BY_LINK, ...DETAILS_BY_LINK })) {
        const found = new Map((await ask(query)).map((row) => [Number(row.link_id), Number(row[column])]));
        const mayLack = name in DETAILS_BY_LINK ? dropped : 0;
        let lacks = 0;
        for (const row of counts) {
          const lack = Number(row[column]) - (found.get(Number(row.link_id)) ?? 0);
          lacks += lack;
          if (lack < 0 || lack > mayLack) say(`link ${row.link_id}: ${row[column]}, ${name} ${lack} less`);
        }
        if (!isExact(column, lacks, mayLack)) say(`${sum}, ${name} ${lacks} less, dropped ${mayLack}`);
      }
      for (const [name, query] of Object.entries({ ...COUNTS, ...DETAILS })) {
        const is = Number((await ask(query))[0]?.[column] ?? 0);
        const mayLack = name in DETAILS ? dropped : 0;
        if (!isExact(column, sum - is, mayLack)) say(`${sum}, ${name} ${is}, dropped ${mayLack}`);
      }
    }
    return wrong;
  } finally {
    await database.close();
  }
}

/** Drops are known for all clicks together, not by class. */
const isExact = (column: "clicks" | "automated", lacks: number, dropped: number): boolean =>
  column === "clicks" ? lacks === dropped : lacks >= 0 && lacks <= dropped;
