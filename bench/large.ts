/**
 * Ten million links, with a link table for a tenth of them and for all: redirects during and after the load, memory per
 * link, and processor time of a request for a random link, which the smaller table mostly lacks.
 *
 *     bin/bun bench/large.ts [links] [seconds] [rounds] [other checkout]
 *
 * The server has one core, wrk the other. Making the database takes a minute and 1.8 GB. Another checkout (with its
 * packages) has its own database and runs in turns; an idle server is stopped. Prints median and minimum of the rounds.
 */
import { join } from "node:path";
import type { DataFolder } from "./lib/data-folder.ts";
import { requireTools, runLoad } from "./lib/load.ts";
import type { Subject } from "./lib/subject.ts";

const COUNT = Number(process.argv[2] ?? 10_000_000);
const SECONDS = Number(process.argv[3] ?? 5);
const ROUNDS = Number(process.argv[4] ?? 5);
const CHECKOUTS = [join(import.meta.dir, ".."), ...process.argv.slice(5)];
/** Links asked for during and after the load. */
const ASKED = Math.min(COUNT, 100_000);
const GOALS = { duringLoad: 0.5, bytesPerLink: 120, databaseMicros: 30 };

type Checkout = {
  root: string;
  data: DataFolder;
  startWaymark(data: DataFolder, environment: Record<string, string>): Promise<Subject>;
};

requireTools();
const checkouts: Checkout[] = [];
try {
  for (const root of CHECKOUTS) {
    const { createDataFolder } = await import(join(root, "bench", "lib", "data-folder.ts"));
    const { startWaymark } = await import(join(root, "bench", "lib", "subjects.ts"));
    checkouts.push({ root, data: await createDataFolder(COUNT), startWaymark });
  }
  await measure(Math.ceil(COUNT / 10));
  await measure(COUNT);
} finally {
  for (const { data } of checkouts) data.remove();
}

async function measure(maxLinks: number): Promise<void> {
  console.log(`\n${COUNT.toLocaleString("en")} links, cache.max_links ${maxLinks.toLocaleString("en")}`);
  const subjects: Subject[] = [];
  try {
    for (const checkout of checkouts) subjects.push(await load(checkout, maxLinks));
    const micros: number[][] = subjects.map(() => []);
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [at, subject] of subjects.entries()) {
        const cost = await costAtRandom(subject, checkouts[at]!.data);
        // The first one warms the compilers up.
        if (round > 0) micros[at]!.push(cost);
      }
    }
    for (const [at, { root }] of checkouts.entries()) tellCost(root, micros[at]!, maxLinks < COUNT);
  } finally {
    for (const subject of subjects) await subject.stop();
  }
}

/** A server that has loaded its links; stopped (SIGSTOP) until it is asked. */
async function load({ root, data, startWaymark }: Checkout, maxLinks: number): Promise<Subject> {
  await readThrough(data);
  const subject = await startWaymark(data, { WAYMARK__CACHE__MAX_LINKS: String(maxLinks) });
  const during = await ask(subject, ASKED);
  await settle(subject);
  const bytes = (subject.rssMb() * 1024 * 1024) / COUNT;
  const after = await ask(subject, ASKED);
  subject.pause();
  const ratio = during.perSecond / after.perSecond;
  console.log(root);
  tell("redirects during the load, of those after", ratio.toFixed(2), `≥ ${GOALS.duringLoad}`);
  tell("memory a link, loaded, bytes", bytes.toFixed(0), `≤ ${GOALS.bytesPerLink}`);
  return subject;
}

async function costAtRandom(subject: Subject, data: DataFolder): Promise<number> {
  await readThrough(data);
  subject.resume();
  const before = subject.cpuSeconds();
  const { requests } = await ask(subject, COUNT);
  const seconds = subject.cpuSeconds() - before;
  subject.pause();
  return (seconds * 1e6) / requests;
}

/** Puts the database into the page cache: some hosts take back the memory of files that nobody read for a minute. */
async function readThrough({ path }: DataFolder): Promise<void> {
  const file = Bun.file(join(path, "waymark.db")).stream();
  for await (const _ of file);
}

async function ask({ name, port }: Subject, count: number) {
  const result = await runLoad({ port, prefix: "c", count, seconds: SECONDS });
  if (result.errorStatus > 0) throw new Error(`${name}: wrong answers`);
  return result;
}

/** Waits for two quiet seconds: a thread that reads from a slow disk pauses for shorter times. */
async function settle(subject: Subject): Promise<void> {
  for (let quiet = 0, before = -1; quiet < 4; await Bun.sleep(500)) {
    const now = subject.cpuSeconds();
    quiet = now - before > 0.03 ? 0 : quiet + 1;
    before = now;
  }
}

function tellCost(root: string, micros: number[], isFromDatabase: boolean): void {
  micros.sort((a, b) => a - b);
  const values = `${micros[micros.length >> 1]!.toFixed(1)} (least ${micros[0]!.toFixed(1)})`;
  console.log(root);
  tell("links at random, µs a request", values, isFromDatabase ? `≤ ${GOALS.databaseMicros}` : null);
}

function tell(what: string, value: string, goal: string | null): void {
  console.log(`  ${what.padEnd(44)}${value.padStart(20)}${goal === null ? "" : `   goal ${goal}`}`);
}
