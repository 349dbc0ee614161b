/**
 * The upgrade of an instance of the version before with a million links on SQLite, and redirects meanwhile.
 *
 *     bin/bun bench/upgrade.ts [links] [other checkout]
 *
 * Measures the start of this version up to its first redirect, which includes the migration. With a checkout of the
 * version before (and its packages) a server of that version is asked for links all the time while this version migrates
 * its database with `waymark migrate up`. The goal is 30 s.
 */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../src/db/database.ts";
import { MIGRATIONS, migrateUp } from "../src/db/migrate.ts";
import { steps as newSteps } from "../src/db/migrations/version-0-5.ts";
import { silentLogger } from "../src/lib/logger.ts";
import { codeAt, targetAt } from "./lib/data-folder.ts";
import { freePort, startSubject, type Subject } from "./lib/subject.ts";

const COUNT = Number(process.argv[2] ?? 1_000_000);
const OLD = process.argv[3];
const NEW = join(import.meta.dir, "..");
const CHUNK = 20_000;
const CLIENTS = 4;
const BESIDE_MS = 3_000;
const GOAL_SECONDS = 30;

const work = mkdtempSync(join(tmpdir(), "waymark-bench-upgrade-"));
const [original, copy] = [join(work, "old"), join(work, "copy")];
try {
  await makeOldInstance(original);
  cpSync(original, copy, { recursive: true });
  await measureStart(copy);
  if (OLD !== undefined) await measureBeside(original, OLD);
} finally {
  rmSync(work, { recursive: true });
}

/** Links only, with their counts: other tables get columns, which costs the same for any number of rows. */
async function makeOldInstance(folder: string): Promise<void> {
  const settings = { url: `sqlite:${join(folder, "waymark.db")}`, poolSize: 1 };
  const database = await openDatabase(settings, { threads: false, logger: silentLogger });
  await migrateUp(database, { logger: silentLogger, steps: await oldSteps() });
  for (let first = 1; first <= COUNT; first += CHUNK) {
    const ids = Array.from({ length: Math.min(CHUNK, COUNT + 1 - first) }, (_, at) => first + at);
    const links = ids.map((id) => ({
      id,
      code: codeAt(id - 1),
      target: targetAt(id - 1),
      created_at: id,
      updated_at: id,
      expires_at: null,
      password_hash: null,
    }));
    const counts = ids.map((link_id) => ({ link_id, clicks: link_id % 1000, ranked: link_id % 1000 }));
    await database.transaction(async (tx) => {
      await database.dialect.insertMany(tx, "links", links as never);
      await database.dialect.insertMany(tx, "link_clicks", counts as never);
    });
  }
  await database.close();
}

async function oldSteps(): Promise<typeof MIGRATIONS> {
  if (OLD !== undefined) return (await import(join(OLD, "src", "db", "migrate.ts"))).MIGRATIONS;
  const first = newSteps[0]!.name;
  return MIGRATIONS.slice(
    0,
    MIGRATIONS.findIndex(({ name }) => name === first),
  );
}

function start(root: string, folder: string): Promise<Subject> {
  const port = freePort();
  return startSubject(root, port, [join(root, "bin", "waymark"), "serve"], {
    WAYMARK__SERVER__PORT: String(port),
    WAYMARK__DATA__DIR: folder,
    WAYMARK__LOGGING__LEVEL: "error",
  });
}

async function measureStart(folder: string): Promise<void> {
  const begun = performance.now();
  const server = await start(NEW, folder);
  await expectRedirect(server.port);
  const seconds = (performance.now() - begun) / 1000;
  await server.stop();
  const again = await start(NEW, folder);
  await again.stop();
  console.log(`${COUNT.toLocaleString("en")} links`);
  tell("start with the migration, to the first redirect", seconds);
  tell("the next start", again.readyMs / 1000);
}

async function expectRedirect(port: number): Promise<void> {
  const index = Math.floor(Math.random() * COUNT);
  const answer = await fetch(`http://127.0.0.1:${port}/${codeAt(index)}`, { redirect: "manual" });
  if (answer.status !== 307 || answer.headers.get("location") !== targetAt(index))
    throw new Error(`${codeAt(index)}: ${answer.status} ${answer.headers.get("location")}`);
}

async function measureBeside(folder: string, root: string): Promise<void> {
  const server = await start(root, folder);
  const load = startLoad(server.port);
  await Bun.sleep(BESIDE_MS);
  const before = load.take();
  const begun = performance.now();
  const migration = Bun.spawn([join(NEW, "bin", "waymark"), "migrate", "up"], {
    env: { ...process.env, WAYMARK__DATA__DIR: folder },
    stdio: ["ignore", "ignore", "inherit"],
  });
  if ((await migration.exited) !== 0) throw new Error("the migration failed");
  const seconds = (performance.now() - begun) / 1000;
  const during = load.take();
  await Bun.sleep(BESIDE_MS);
  const after = load.take();
  await load.end();
  await server.stop();
  tell("the migration beside a server of the version before", seconds);
  for (const [when, { answered, slowestMs, wrong }, span] of [
    ["before", before, BESIDE_MS / 1000],
    ["during", during, seconds],
    ["after", after, BESIDE_MS / 1000],
  ] as const)
    console.log(
      `  redirects ${when}: ${(answered / span).toFixed(0)} a second, slowest ${slowestMs.toFixed(0)} ms, ${wrong} wrong`,
    );
}

function startLoad(port: number) {
  const nothing = () => ({ answered: 0, wrong: 0, slowestMs: 0 });
  let found = nothing();
  let isOver = false;
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (!isOver) {
      const begun = performance.now();
      await expectRedirect(port).then(
        () => found.answered++,
        () => found.wrong++,
      );
      found.slowestMs = Math.max(found.slowestMs, performance.now() - begun);
    }
  });
  return {
    take: () => {
      const taken = found;
      found = nothing();
      return taken;
    },
    end: () => {
      isOver = true;
      return Promise.all(clients);
    },
  };
}

function tell(what: string, seconds: number): void {
  console.log(`  ${what}: ${seconds.toFixed(1)} s (goal: ≤ ${GOAL_SECONDS} s)`);
}
