/**
 * What the record of events adds to batches of 5,000 links, as ratios of pairs in one run:
 *
 *     bin/bun bench/events.ts [sqlite|postgres|mariadb|mysql|all] [pairs]
 *
 * The same batches run in turn with the record and without. The goal is 1.3.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPasswords } from "../src/auth/login/password.ts";
import { createChanges } from "../src/cluster/changes.ts";
import { type Database, openDatabase } from "../src/db/database.ts";
import { migrateUp } from "../src/db/migrate.ts";
import { createEvents } from "../src/events/events.service.ts";
import { COMMAND } from "../src/lib/actor.ts";
import { silentLogger } from "../src/lib/logger.ts";
import { createLinkService, type LinkServiceDeps } from "../src/links/links.service.ts";
import { createServerDatabase, SERVERS } from "./lib/server-database.ts";

const WANTED = process.argv[2] ?? "sqlite";
const PAIRS = Number(process.argv[3] ?? 7);
const ITEMS = 5_000;
const GOAL = 1.3;

const STEPS = ["create", "update of a title", "update of everything", "delete"] as const;
type Step = (typeof STEPS)[number];

function serviceOf(database: Database, record: LinkServiceDeps["record"]) {
  const clock = { now: () => Date.now() };
  const service = createLinkService({
    database,
    changes: createChanges({ database, clock, logger: silentLogger }),
    record,
    routePrefixes: () => ["/admin"],
    randomCodeLength: () => 6,
    shareCodeLength: () => 14,
    hashPassword: createPasswords().hashPassword,
    clock,
  });
  return service.by(COMMAND);
}

type Links = ReturnType<typeof serviceOf>;

/** `cpu`: of this process, so of SQLite too, and of a server's client alone. Milliseconds. */
type Cost = { wall: number; cpu: number };

async function timed(run: () => Promise<{ failed: readonly unknown[] }>): Promise<Cost> {
  const [start, before] = [performance.now(), process.cpuUsage()];
  const { failed } = await run();
  if (failed.length > 0) throw new Error(`refused: ${JSON.stringify(failed[0])}`);
  const { user, system } = process.cpuUsage(before);
  return { wall: performance.now() - start, cpu: (user + system) / 1000 };
}

async function batches({ batch }: Links, name: string): Promise<Record<Step, Cost>> {
  const text = `${"A note that says what the campaign is for. ".repeat(4)}`;
  const codes = Array.from({ length: ITEMS }, (_, at) => `${name}-${Bun.hash(String(at)).toString(36)}`);
  const whole = (at: number, turn: number) => ({
    target: `https://shop.example.com/campaign/${at}/${turn}?ref=newsletter`,
    title: `Campaign ${at} of ${turn}`,
    note: text + turn,
    tags: [`team ${at % 5}`, `topic ${at % 50}`],
  });
  const update = (payloadOf: (at: number) => object) => () =>
    batch.update(codes.map((code, at) => ({ code, payload: payloadOf(at) })));
  return {
    create: await timed(() => batch.create(codes.map((code, at) => ({ code, ...whole(at, 0) })))),
    "update of a title": await timed(
      update((at) => ({ target: whole(at, 0).target, title: `Another title ${at}` })),
    ),
    "update of everything": await timed(
      update((at) => ({ ...whole(at, 1), tags: [`team ${(at + 1) % 5}`] })),
    ),
    delete: await timed(() => batch.remove(codes)),
  };
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

async function bench(name: string, url: string): Promise<void> {
  const database = await openDatabase({ url, poolSize: 4 }, { threads: true, logger: silentLogger });
  try {
    await migrateUp(database, { logger: silentLogger });
    const { add } = createEvents({ database, clock: { now: () => Date.now() } });
    const [told, silent] = [serviceOf(database, add), serviceOf(database, async () => {})];
    await batches(told, "warm");
    await batches(silent, "cold");
    const pairs: [Record<Step, Cost>, Record<Step, Cost>][] = [];
    for (let pair = 0; pair < PAIRS; pair++) {
      const first = pair % 2 === 0 ? told : silent;
      const one = await batches(first, `a${pair}`);
      const other = await batches(first === told ? silent : told, `b${pair}`);
      pairs.push(first === told ? [one, other] : [other, one]);
    }
    console.log(`\n${name}, ${ITEMS} links, median of ${PAIRS} pairs: with events, without, ratio`);
    for (const step of STEPS) {
      const texts = (["wall", "cpu"] as const).map((kind) => {
        const sides = [0, 1].map((side) => median(pairs.map((pair) => pair[side]![step][kind])));
        const ratio = median(pairs.map(([a, b]) => a[step][kind] / b[step][kind]));
        const times = sides.map((ms) => `${ms.toFixed(0).padStart(6)} ms`).join("");
        return `${times}  ${ratio.toFixed(2)}${ratio <= GOAL ? "" : " over the goal"}`;
      });
      console.log(`${step.padEnd(22)}${texts.join("   processor:")}`);
    }
  } finally {
    await database.close();
  }
}

if (WANTED === "sqlite" || WANTED === "all") {
  const folder = mkdtempSync(join(tmpdir(), "waymark-bench-"));
  try {
    await bench("SQLite", `sqlite:${join(folder, "events.db")}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
for (const server of SERVERS) {
  if (WANTED !== "all" && WANTED !== server) continue;
  const created = await createServerDatabase(server);
  if (created === null) continue;
  try {
    await bench(server, created.url);
  } finally {
    await created.drop();
  }
}
