/**
 * Kills the real program with SIGKILL at random moments under HTTP load, repeatedly (every few rounds with SIGTERM
 * instead), and compares answers with counts. Per link: answered ≤ counted ≤ sent, because a request without an answer
 * may count. With one request at a time per connection both ends differ by at most rounds × connections.
 *
 * A third of the requests comes from automated visitors, whose counts are compared alike.
 *
 * Detailed logging is on and requests have a browser's headers. So after each comparison the database must agree with
 * itself too: rollups by hour, day and month equal the counts; raw rows and sums by value equal the counts less the
 * details that `detail_drops` lists as dropped (a fast machine makes more than the 50,000 that may wait).
 *
 *     bin/bun test/faults/clicks-kill.ts [--rounds 200] [--minutes N] [--database sqlite] [--workers 1]
 *
 * With several workers rounds take turns: SIGKILL for everything, for the supervisor alone, for one worker, SIGTERM.
 */
import { connect } from "node:net";
import { sql } from "kysely";
import { openDatabase } from "../../src/db/database.ts";
import { createMigrated } from "../../src/db/schema-copy.test-support.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import { addOne, type ClickTally, compareCounts, countsIn, sumOf } from "../support/click-tally.ts";
import { countRounds, type FaultOptions, type FaultResult, runFaultScript } from "../support/fault-script.ts";
import { endInTurn } from "../support/processes.ts";
import { install, type Installation } from "../support/waymark.ts";

const LINKS = 50;
const CONNECTIONS = 16;
/** The kill comes within this time after the load starts. In longer lives more details than may wait would arise. */
const LONGEST_LIFE_MS = 600;
/** Flushes often, so that kills hit flushes too. */
const CLICKS_BEFORE_FLUSH = "200";
const CHECK_EVERY = 20;

const AUTOMATED = "curl/8.5.0";
const AGENTS = [
  "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1",
  AUTOMATED,
];

/** `automated`: of automated visitors alone. */
type Tally = ClickTally & { automated: ClickTally; unexpected: string[] };

export type ClickNumbers = {
  rounds: number;
  sent: number;
  answered: number;
  counted: number;
  /** Counted clicks whose details were dropped. */
  dropped: number;
};

/** Stops at the first comparison that fails. */
export async function killUnderLoad(options: FaultOptions): Promise<FaultResult<ClickNumbers>> {
  const { database, workers = 1, pauseMs, report } = options;
  const fresh = await createMigrated(database);
  const waymark = install({
    WAYMARK__DATABASE__URL: fresh.url,
    WAYMARK__SERVER__WORKERS: String(workers),
  });
  const codes = Array.from({ length: LINKS }, (_, at) => `kill-${at}`);
  const empty = (): ClickTally => ({ sent: new Map(), answered: new Map() });
  const tally: Tally = { ...empty(), automated: empty(), unexpected: [] };
  let done = 0;
  try {
    await prepare(waymark, codes);
    for (const round of countRounds(options)) {
      const server = await waymark.serve();
      const load = startLoad(server.url, codes, tally, pauseMs);
      await Bun.sleep(Math.random() * LONGEST_LIFE_MS);
      await endInTurn(server, round, LONGEST_LIFE_MS);
      await load.end();
      done = round;
      if (round % CHECK_EVERY !== 0) continue;
      const result = await compare(waymark, fresh.url, round, tally);
      report?.(result.tried);
      if (result.lost.length > 0) return result;
    }
    return await compare(waymark, fresh.url, done, tally);
  } finally {
    await waymark.remove();
    await fresh.drop();
  }
}

async function prepare(waymark: Installation, codes: readonly string[]): Promise<void> {
  const csv = `code,target\n${codes.map((code) => `${code},http://localhost/${code}\n`).join("")}`;
  await waymark.run(["links", "import", "-"], csv);
  await waymark.run(["config", "set", "click.max_clicks_before_flush", CLICKS_BEFORE_FLUSH]);
  await waymark.run(["config", "set", "analytics.enable_detailed_logging", "true"]);
}

async function compare(
  waymark: Installation,
  url: string,
  rounds: number,
  tally: Tally,
): Promise<FaultResult<ClickNumbers>> {
  const counts = await countAll(waymark);
  const counted = sumOf(counts);
  const { dropped, wrong } = await disagreements(url, counted, tally.automated);
  return {
    tried: { rounds, sent: sumOf(tally.sent), answered: sumOf(tally.answered), counted, dropped },
    lost: [...compareCounts(tally, counts), ...tally.unexpected, ...wrong],
  };
}

/** One start and an orderly stop replay what the kills left; then the export has all counts. */
async function countAll(waymark: Installation): Promise<Map<string, number>> {
  const server = await waymark.serve();
  const exitCode = await server.stop();
  if (exitCode !== 0) throw new Error(`waymark serve ended with ${exitCode}:\n${server.log()}`);
  return countsIn(await waymark.run(["links", "export"]));
}

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
  monthAgents: sql`select sum(clicks) as clicks, sum(automated) as automated from click_dim_months where dimension = 3`,
  agentsOfRows: sql`select count(*) as clicks, sum(click_log.automated) as automated from click_log join user_agents on user_agents.id = user_agent_id join click_values on click_values.id = value_id`,
};

type Sum = { link_id?: number; clicks: number | null; automated: number | null };

/** Where rollups, raw rows and drops differ from the counts, and the counts of automated visitors from the load. */
export async function disagreements(
  url: string,
  counted: number,
  load: ClickTally,
): Promise<{ dropped: number; wrong: string[] }> {
  const database = await openDatabase({ url, poolSize: 1 }, { threads: false, logger: silentLogger });
  const ask = async (query: ReturnType<typeof sql>): Promise<Sum[]> =>
    (await query.execute(database.read)).rows as Sum[];
  try {
    const automated = await sql<{ code: string; automated: number }>`
      select code, automated from links join link_clicks on link_id = id`.execute(database.read);
    const byCode = new Map(automated.rows.map((row) => [row.code, Number(row.automated)]));
    const counts = await ask(sql`select link_id, clicks, automated from link_clicks where clicks > 0`);
    const drops = await ask(sql`select sum(clicks) as clicks, 0 as automated from detail_drops`);
    const dropped = Number(drops[0]?.clicks ?? 0);
    const total = counts.reduce((all, { clicks }) => all + Number(clicks), 0);
    const wrong = total === counted ? [] : [`exported ${counted}, counted ${total}`];
    wrong.push(...compareCounts(load, byCode).map((line) => `automated: ${line}`));
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
    return { dropped, wrong };
  } finally {
    await database.close();
  }
}

/** Drops are known for all clicks together, not by class. */
const isExact = (column: "clicks" | "automated", lacks: number, dropped: number): boolean =>
  column === "clicks" ? lacks === dropped : lacks >= 0 && lacks <= dropped;

/** Connections that request random codes, one request at a time each, until they break. */
function startLoad(url: string, codes: readonly string[], tally: Tally, pauseMs = 0) {
  const { hostname, port } = new URL(url);
  const clients = Array.from({ length: CONNECTIONS }, () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const socket = connect({ host: hostname, port: Number(port) });
    let code = "";
    let agent = "";
    let text = "";
    const ask = () => {
      code = pick(codes);
      agent = pick(AGENTS);
      text = "";
      addOne(tally.sent, code);
      if (agent === AUTOMATED) addOne(tally.automated.sent, code);
      const referrer = `https://site-${Math.floor(Math.random() * 150)}.example/`;
      socket.write(
        `GET /${code} HTTP/1.1\r\nHost: localhost\r\nReferer: ${referrer}\r\nUser-Agent: ${agent}\r\nAccept: text/html\r\nAccept-Language: en\r\n\r\n`,
      );
    };
    socket.setEncoding("latin1");
    socket.on("connect", ask);
    socket.on("data", (chunk) => {
      text += String(chunk);
      if (!text.endsWith("\r\n\r\n")) return;
      if (!text.startsWith("HTTP/1.1 307 ")) {
        tally.unexpected.push(text);
        return void socket.destroy();
      }
      addOne(tally.answered, code);
      if (agent === AUTOMATED) addOne(tally.automated.answered, code);
      if (pauseMs > 0) setTimeout(ask, pauseMs);
      else ask();
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve());
    return { socket, closed: promise };
  });
  return {
    async end() {
      // Answers that the server sent before it died are still read.
      await Promise.all(clients.map(({ closed }) => closed));
    },
  };
}

const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!;

if (import.meta.main) await runFaultScript(killUnderLoad, { rounds: 200, database: "sqlite", workers: 1 });
