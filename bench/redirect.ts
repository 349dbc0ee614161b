/**
 * What a redirect costs, as ratios of one run: Waymark, the real program with its clicks counted and journaled,
 * against a bare `Bun.serve` with a Map and against nginx's `return 307`.
 *
 *     bin/bun bench/redirect.ts [rounds] [seconds]
 *
 * Each server has one core (its threads too), wrk the other; 64 connections ask for codes at random. A round asks
 * all subjects one after the other, so that whatever else the machine does hits all of them; ratios are taken within
 * a round, and the median of the rounds is told. `µs` is processor time a request, which other programs disturb
 * less than they disturb requests a second. Needs two cores and wrk (Debian: apt-get install wrk nginx-light).
 */
import { createDataFolder, type DataFolder } from "./lib/data-folder.ts";
import { requireTools, runLoad } from "./lib/load.ts";
import type { Subject } from "./lib/subject.ts";
import { startBare, startNginx, startWaymark } from "./lib/subjects.ts";

const ROUNDS = Number(process.argv[2] ?? 7);
const SECONDS = Number(process.argv[3] ?? 2);
const SIZES = [100_000, 1_000_000];
const GOAL = 0.85;

type Case = { name: string; subject: Subject; prefix: string; isMissing: boolean };
type Sample = { perSecond: number; cpuMicros: number; p99: number };

requireTools();
for (const count of SIZES) await compare(count);

async function compare(count: number): Promise<void> {
  console.log(`\n${count.toLocaleString("en")} links, ${ROUNDS} rounds of ${SECONDS} s`);
  const data = await createDataFolder(count);
  const subjects: Subject[] = [];
  try {
    const bare = await startBare(count);
    subjects.push(bare);
    const waymark = await startWaymark(data);
    subjects.push(waymark);
    const nginx = await startNginx();
    if (nginx !== null) subjects.push(nginx);
    // Waymark loads its links while it answers; the comparison is of loaded servers.
    await settle(waymark);
    const cases: Case[] = [
      { name: "bare Bun.serve with a Map", subject: bare, prefix: "c", isMissing: false },
      { name: "Waymark, known links", subject: waymark, prefix: "c", isMissing: false },
      { name: "Waymark, unknown codes (404)", subject: waymark, prefix: "x", isMissing: true },
      ...(nginx ? [{ name: "nginx, return 307", subject: nginx, prefix: "c", isMissing: false }] : []),
    ];
    const { samples, found } = await runRounds(cases, count);
    report(cases, samples);
    await waymark.stop();
    await checkClicks(data, found);
  } finally {
    await Promise.all(subjects.map((subject) => subject.stop()));
    data.remove();
  }
}

/** Until it uses no processor for a while. */
async function settle(subject: Subject): Promise<void> {
  for (let before = -1; before !== subject.cpuSeconds(); await Bun.sleep(500)) before = subject.cpuSeconds();
}

async function runRounds(cases: readonly Case[], count: number) {
  const samples = cases.map((): Sample[] => []);
  let found = 0;
  // The first round warms the compilers up.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [at, { subject, prefix, isMissing, name }] of cases.entries()) {
      const before = subject.cpuSeconds();
      const result = await runLoad({ port: subject.port, prefix, count, seconds: SECONDS });
      const cpuMicros = ((subject.cpuSeconds() - before) * 1e6) / result.requests;
      if (result.errorStatus !== (isMissing ? result.requests : 0)) throw new Error(`${name}: wrong answers`);
      if (subject.name === "Waymark" && !isMissing) found += result.requests;
      if (round > 0) samples[at]!.push({ perSecond: result.perSecond, cpuMicros, p99: result.p99 });
    }
  }
  return { samples, found };
}

function report(cases: readonly Case[], samples: readonly Sample[][]): void {
  line("", "requests/s", "ratio", "µs", "µs ratio", "p99 ms");
  for (const [at, { name }] of cases.entries()) {
    const mine = samples[at]!;
    const speed = median(mine.map((sample, round) => sample.perSecond / samples[0]![round]!.perSecond));
    const cost = median(mine.map((sample, round) => samples[0]![round]!.cpuMicros / sample.cpuMicros));
    const of = (key: keyof Sample, digits: number) =>
      median(mine.map((sample) => sample[key])).toFixed(digits);
    line(name, of("perSecond", 0), speed.toFixed(2), of("cpuMicros", 2), cost.toFixed(2), of("p99", 2));
  }
  console.log(
    `Goal: ≥ ${GOAL} of the bare handler for known links, unknown codes at least as fast as known ones.`,
  );
}

function line(name: string, ...cells: string[]): void {
  console.log(name.padEnd(30) + cells.map((cell) => cell.padStart(12)).join(""));
}

/** Every answered click must be counted; a few more were answered after wrk had stopped to count. */
async function checkClicks(data: DataFolder, found: number): Promise<void> {
  const counted = await data.countedClicks();
  console.log(`Clicks: ${counted} counted for ${found} redirects seen by wrk.`);
  if (counted < found) throw new Error("clicks were lost");
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
