/**
 * `waymark move` between two databases while visitors follow links and somebody changes some:
 *
 *     bin/bun bench/move.ts [--from sqlite] [--to postgres] [--links 1000000] [--clicks 10000000] [--rate 2000]
 *       [--kills 10] [--within 4]
 *
 * Before the move that is measured, `--kills` of them end by SIGKILL at a moment of their own, `--within` so many seconds
 * after their start, every third time the server too. Visits leave at a fixed rate. At the end each table is compared by
 * the command, each counted visit with those that were sent and answered, and each change that was answered with what the
 * new database says. Servers need `eval "$(scripts/services env)"`.
 */
import { parseArgs } from "node:util";
import { openDatabase } from "../src/platform/db/database.ts";
import { createFresh, type DialectName } from "../src/platform/db/fresh.test-support.ts";
import { migrateUp } from "../src/platform/db/migrate.ts";
import { silentLogger } from "../src/lib/logger.ts";
import { type Client, PASSWORD, signIn } from "../test/support/session.ts";
import { install } from "../test/support/waymark.ts";
import { writeHistory } from "./lib/click-history.ts";

const { values } = parseArgs({
  options: {
    from: { type: "string", default: "sqlite" },
    to: { type: "string", default: "postgres" },
    links: { type: "string", default: "1000000" },
    clicks: { type: "string", default: "10000000" },
    rate: { type: "string", default: "2000" },
    kills: { type: "string", default: "0" },
    within: { type: "string", default: "4" },
  },
});
/** Of the history, on the default domain. */
const CODE = "bench/2";
const CHANGES_PER_SECOND = 20;
const GOALS = { minutes: 15, refusedSeconds: 5 };

const [from, to] = await Promise.all(
  [values.from, values.to].map((name) => createFresh(name as DialectName)),
);
const installation = install({ WAYMARK__DATABASE__URL: from!.url });
const visits = { sent: 0, answered: 0, failed: 0, first: "" };
const changes = { done: 0, refused: 0, longestMs: 0, other: "" };
let isOver = false;
try {
  await fill();
  await installation.run(["reset-password", "--stdin"], PASSWORD);
  let server = await installation.serve();
  for (let round = 1; round <= Number(values.kills); round++) {
    const move = spawnMove();
    await Bun.sleep(300 + Math.random() * Number(values.within) * 1_000);
    move.kill("SIGKILL");
    await move.exited;
    if (round % 3 !== 0) continue;
    await server.kill();
    server = await installation.serve();
  }
  const client = await signIn(server.url);
  const load = [visit(server.url), change(client)];
  const begun = performance.now();
  const move = spawnMove();
  const [told, code] = [await new Response(move.stdout).text(), await move.exited];
  const seconds = (performance.now() - begun) / 1000;
  await Bun.sleep(15_000);
  isOver = true;
  await Promise.all(load);
  await server.stop();
  if (code !== 0) throw new Error(`the move ended with ${code}`);
  const last = await installation.serve();
  await Bun.sleep(12_000);
  const { click_count, title } = JSON.parse(await installation.run(["links", "get", CODE, "--json"]));
  await last.stop();
  console.log(told.trim());
  console.log(`moved in ${seconds.toFixed(1)} s (goal for a million links: ${GOALS.minutes * 60} s)`);
  console.log(`visits: ${visits.sent} sent, ${visits.failed} failed ${visits.first}, ${click_count} counted`);
  console.log(
    `changes: ${changes.done} done, ${changes.refused} refused, longest without one ${(changes.longestMs / 1000).toFixed(1)} s (goal ${GOALS.refusedSeconds} s) ${changes.other}`,
  );
  const isRight =
    visits.failed === 0 &&
    click_count >= visits.answered &&
    click_count <= visits.sent &&
    title === `${changes.done}`;
  if (!isRight) throw new Error(`not all is there: the last title is ${title}`);
} finally {
  await installation.remove();
  await Promise.all([from!.drop(), to!.drop()]);
}

async function fill(): Promise<void> {
  const database = await openDatabase(
    { url: from!.url, poolSize: 2 },
    { threads: false, logger: silentLogger },
  );
  await migrateUp(database, { logger: silentLogger });
  const history = { clicks: Number(values.clicks), links: Number(values.links), days: 90, end: Date.now() };
  await writeHistory(database, history, () => {});
  await database.close();
}

function spawnMove() {
  const program = `${import.meta.dir}/../bin/waymark`;
  const env = {
    ...process.env,
    WAYMARK__DATA__DIR: installation.dataDir,
    WAYMARK__DATABASE__URL: from!.url,
    WAYMARK__LOGGING__LEVEL: "error",
  };
  return Bun.spawn([program, "move", "--stdin", "--json"], {
    env,
    stdin: Buffer.from(to!.url),
    stdout: "pipe",
    stderr: "inherit",
  });
}

/** At a fixed rate, however long answers take. */
async function visit(url: string): Promise<void> {
  const underWay = new Set<Promise<void>>();
  const begun = performance.now();
  while (!isOver) {
    const due = ((performance.now() - begun) / 1000) * Number(values.rate);
    while (visits.sent < due && underWay.size < 500) {
      visits.sent++;
      const one = fetch(`${url}/${CODE}`, { redirect: "manual" })
        .then((answer) => answer.status)
        .catch(String)
        .then((status) => {
          if (status === 307) visits.answered++;
          else visits.first ||= `(${status})`;
          if (status !== 307) visits.failed++;
          underWay.delete(one);
        });
      underWay.add(one);
    }
    await Bun.sleep(5);
  }
  await Promise.all(underWay);
}

/** Each change writes its number, so the last one that was answered must be there. */
async function change(client: Client): Promise<void> {
  const begun = performance.now();
  let lastAt = begun;
  for (let sent = 1; !isOver; sent++) {
    const { status } = await client.call("PATCH", `/links/${encodeURIComponent(CODE)}`, {
      title: `${changes.done + 1}`,
    });
    const now = performance.now();
    if (status === 200) {
      changes.done++;
      changes.longestMs = Math.max(changes.longestMs, now - lastAt);
      lastAt = now;
    } else if (status === 503) changes.refused++;
    else changes.other ||= `(${status})`;
    await Bun.sleep(begun + (sent * 1000) / CHANGES_PER_SECOND - performance.now());
  }
}
