/**
 * Days of use in an hour: continuous redirects, new and changed links, lists, logins and imports, while memory and open
 * handles are measured.
 *
 *     bin/bun bench/soak.ts [minutes]        default 60; the long suite takes 5
 *
 * Fails when the median memory of the last third exceeds that of the second by more than a tenth (and 16 MB), when open
 * descriptors or threads grow, or when an answer is wrong. The first third fills caches. A run under half an hour is
 * allowed a quarter: caches and the collector's heap still grow then.
 */
import { readdirSync, rmSync } from "node:fs";
import { type Client, startSignedIn } from "../test/support/session.ts";

const MINUTES = Number(process.argv[2] ?? 60);
const SAMPLE_MS = Math.min(10_000, (MINUTES * 60_000) / 60);
const CODES = 2_000;
const MEMORY_GROWTH = MINUTES < 30 ? 1.25 : 1.1;

type Sample = { rssMb: number; handles: number; threads: number };

const { installation, server, client } = await startSignedIn();
const pid = server.process.pid;
const samples: Sample[] = [];
const counts = { redirects: 0, writes: 0, reads: 0, imports: 0, logins: 0, wrong: 0 };
const deadline = performance.now() + MINUTES * 60_000;
const isOver = () => performance.now() > deadline;
let session: Client = client;

try {
  await Promise.all([
    ...Array.from({ length: 8 }, redirects),
    writes(),
    reads(),
    imports(),
    sessions(),
    watch(),
  ]);
  report();
} finally {
  await server.stop();
  await installation.remove();
  rmSync(installation.dataDir, { recursive: true, force: true });
}

function expectStatus(status: number, ...wanted: number[]): void {
  if (!wanted.includes(status)) counts.wrong++;
}

async function redirects(): Promise<void> {
  while (!isOver()) {
    const known = Math.random() < 0.8;
    const code = known ? `s${Math.floor(Math.random() * CODES)}` : crypto.randomUUID();
    const answer = await fetch(`${server.url}/${code}`, { redirect: "manual" });
    await answer.arrayBuffer();
    expectStatus(answer.status, ...(known ? [307, 404] : [404]));
    counts.redirects++;
  }
}

async function writes(): Promise<void> {
  while (!isOver()) {
    const code = `s${Math.floor(Math.random() * CODES)}`;
    const target = `https://example.com/${crypto.randomUUID()}`;
    const dice = Math.random();
    const answer =
      dice < 0.1
        ? await session.call("DELETE", `/links/${code}`)
        : await session.call("POST", "/links", { code, target, force: true });
    expectStatus(answer.status, 200, 201, 404);
    counts.writes++;
    await Bun.sleep(2);
  }
}

async function reads(): Promise<void> {
  const paths = ["/links?page_size=100", "/links?search=a1", "/stats", "/config", "/links/export", "/users"];
  while (!isOver()) {
    const answer = await session.fetch(paths[counts.reads++ % paths.length]!);
    await answer.arrayBuffer();
    expectStatus(answer.status, 200);
    await Bun.sleep(20);
  }
}

async function imports(): Promise<void> {
  while (!isOver()) {
    const rows = Array.from(
      { length: 1_000 },
      (_, at) => `s${at},https://example.com/imported/${counts.imports}`,
    );
    const form = new FormData();
    form.set("file", new File([`code,target\n${rows.join("\n")}\n`], "links.csv"));
    form.set("mode", "overwrite");
    const answer = await session.fetch("/links/import", { method: "POST", body: form });
    await answer.arrayBuffer();
    expectStatus(answer.status, 200);
    counts.imports++;
    await Bun.sleep(2_000);
  }
}

/** Signs in again regularly: access tokens expire after 15 minutes. */
async function sessions(): Promise<void> {
  const { signIn } = await import("../test/support/session.ts");
  while (!isOver()) {
    session = await signIn(server.url);
    counts.logins++;
    for (let waited = 0; waited < 60 && !isOver(); waited++) await Bun.sleep(1_000);
  }
}

async function watch(): Promise<void> {
  while (!isOver()) {
    await Bun.sleep(SAMPLE_MS);
    const status = await Bun.file(`/proc/${pid}/status`).text();
    samples.push({
      rssMb: Number(/^VmRSS:\s+(\d+)/m.exec(status)![1]) / 1024,
      handles: readdirSync(`/proc/${pid}/fd`).length,
      threads: Number(/^Threads:\s+(\d+)/m.exec(status)![1]),
    });
  }
}

function median(part: readonly Sample[], of: keyof Sample): number {
  return part.map((sample) => sample[of]).sort((a, b) => a - b)[part.length >> 1]!;
}

function report(): void {
  const third = Math.floor(samples.length / 3);
  const [middle, last] = [samples.slice(third, 2 * third), samples.slice(2 * third)];
  console.log(JSON.stringify(counts));
  const problems: string[] = [];
  for (const of of ["rssMb", "handles", "threads"] as const) {
    const [before, after] = [median(middle, of), median(last, of)];
    console.log(`${of}: ${before.toFixed(0)} in the second third, ${after.toFixed(0)} in the last`);
    const allowed = of === "rssMb" ? Math.max(before * MEMORY_GROWTH, before + 16) : before + 8;
    if (after > allowed) problems.push(`${of} grows from ${before.toFixed(0)} to ${after.toFixed(0)}`);
  }
  if (counts.wrong > 0) problems.push(`${counts.wrong} wrong answers`);
  for (const problem of problems) console.error(`soak: ${problem}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
