/**
 * The statements that carry the load, on every available database: `bin/bun bench/db.ts [links]` (100,000). Best and
 * mean of a few runs; compare only as ratios within one run on one machine.
 */
import { sql } from "kysely";
import { type Database, openDatabase } from "../src/db/database.ts";
import { createFresh, DIALECT_NAMES, type DialectName, serverUrl } from "../src/db/fresh.test-support.ts";
import { migrateUp } from "../src/db/migrate.ts";
import { silentLogger } from "../src/lib/logger.ts";

const LINKS = Number(process.argv[2] ?? 100_000);
const BATCH = 5_000;
const WORDS = "alpha beta gamma delta Epsilon zeta eta Theta iota kappa lambda mu nu xi rho sigma tau".split(
  " ",
);

const word = (i: number) => WORDS[i % WORDS.length]!;
const code = (i: number) => `c${((i * 48_271) % 2_147_483_647).toString(36)}`;
const link = (i: number) => ({
  code: code(i),
  target: `https://www.example.com/${word(i * 7)}/${word(i * 13 + 5)}-${((i * 2_654_435_761) >>> 0).toString(36)}`,
  created_at: 1_700_000_000_000 + i * 1_000,
  updated_at: 0,
  expires_at: i % 5 === 0 ? 1_800_000_000_000 : null,
  password_hash: null,
});
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

async function measure(label: string, runs: number, run: () => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  for (let i = 0; i < runs; i++) {
    const start = performance.now();
    await run();
    times.push(performance.now() - start);
  }
  const mean = times.reduce((sum, ms) => sum + ms, 0) / runs;
  console.log(
    `  ${label.padEnd(44)} ${Math.min(...times)
      .toFixed(1)
      .padStart(9)} ${mean.toFixed(1).padStart(9)} ms`,
  );
}

async function fill(database: Database): Promise<void> {
  let next = 0;
  await measure(`insert ${BATCH} links with their counters`, Math.ceil(LINKS / BATCH), async () => {
    const rows = range(next, Math.min(next + BATCH, LINKS)).map(link);
    next += rows.length;
    await database.transaction(async (tx) => {
      await database.dialect.insertMany(tx, "links", rows);
      await sql`insert into link_clicks (link_id, clicks)
        select id, 0 from links where created_at >= ${rows[0]!.created_at}`.execute(tx);
    });
  });
  const analyze = { mysql: "analyze table links, link_clicks", mariadb: "analyze table links, link_clicks" };
  await sql
    .raw((analyze as Record<string, string>)[database.dialect.name] ?? "analyze")
    .execute(database.slow);
}

async function queries(database: Database): Promise<void> {
  const ids = range(0, BATCH).map((i) => 1 + Math.floor((i * LINKS) / BATCH));
  const ones = ids.map(() => 1);
  const counter = { table: "link_clicks", key: "link_id", column: "clicks" } as const;
  await measure(`add to ${BATCH} counters`, 8, () =>
    database.transaction((tx) => database.dialect.addToCounters(tx, counter, ids, ones)),
  );
  await measure("find one link", 500, async () => database.findLink(code(Math.floor(Math.random() * LINKS))));
  await measure("1,000 links by code", 8, () =>
    database.read.selectFrom("links").selectAll().where("code", "in", range(0, 1_000).map(code)).execute(),
  );
  await measure("count all", 4, () =>
    database.read
      .selectFrom("links")
      .select(({ fn }) => fn.countAll().as("n"))
      .execute(),
  );
  for (const needle of ["epsilon", "xq", "no such text"]) {
    await measure(`search for "${needle}"`, 4, () =>
      database.read
        .selectFrom("links")
        .select(["id", "created_at", "code"])
        .where(database.dialect.linkContains(needle))
        .limit(2_001)
        .execute(),
    );
  }
}

async function bench(name: DialectName): Promise<void> {
  const { url, drop } = await createFresh(name);
  const database = await openDatabase({ url, poolSize: 4 }, { threads: true, logger: silentLogger });
  try {
    await migrateUp(database, { logger: silentLogger });
    console.log(`${name}, ${LINKS} links${" ".repeat(36)}best      mean`);
    await fill(database);
    await queries(database);
  } finally {
    await database.close();
    await drop();
  }
}

for (const name of DIALECT_NAMES) {
  if (name === "sqlite" || serverUrl(name) !== undefined) await bench(name);
  else console.log(`${name}: no server (scripts/services up; eval "$(scripts/services env)")`);
}
