/**
 * The cost of a redirect, as ratios within one run: the real Waymark, with clicks counted and journaled, against a bare
 * `Bun.serve` with a Map and against nginx's `return 307`.
 *
 *     bin/bun bench/redirect.ts [rounds] [seconds] [links,links] [details|domains|pages|rules|case|tails]
 *
 * With `domains`, Waymark without other domains is compared with one that has ten, on the default host and on another.
 * bench/pairs.ts compares two commits.
 * With `pages`, 404s to navigations of a browser are compared with those to its other requests.
 * With `case`, Waymark is compared with one that ignores case, for codes as they are stored and in capitals; with
 * `tails`, unknown codes with those of one that forgives tails, with a slash in them or not.
 * With `rules`, requests have a browser's headers, and links have ten rules, none of which holds.
 * With `details` as the fourth argument, requests have a browser's headers and Waymark runs with detailed logging.
 *
 * Each server has one core, wrk the other; 64 connections request random codes. A round measures all subjects in turn,
 * so that other load on the machine hits all of them. Ratios are taken within a round; the median is reported. Idle
 * subjects are stopped (SIGSTOP), so that deferred work, such as counting clicks, affects only their own numbers; known
 * and unknown codes have a server each. A sample is longer than two intervals of `click.flush_interval` (5 s), so that
 * it has about as many flushes as such a load causes: a shorter one starts with its own flush of few clicks, which
 * costs more per click. A round in which other programs took more than a tenth of a core is repeated, up to three times
 * as many rounds in all. `µs` is processor time per request. Needs two cores and wrk (Debian: apt-get install wrk
 * nginx-light).
 */
import { createDataFolder, type DataFolder, hostAt, setConfig } from "./lib/data-folder.ts";
import { requireTools, runLoad } from "./lib/load.ts";
import { busySeconds } from "./lib/machine.ts";
import type { Subject } from "./lib/subject.ts";
import { startBare, startNginx, startWaymark } from "./lib/subjects.ts";

const ROUNDS = Number(process.argv[2] ?? 3);
const SECONDS = Number(process.argv[3] ?? 8);
const SIZES = (process.argv[4] ?? "100000,1000000").split(",").map(Number);
const MOST_ROUNDS = ROUNDS * 3;
/** The share of a core that other programs may take in a round. */
const DISTURBANCE = 0.1;
const DETAILED = process.argv[5] === "details" || process.argv[5] === "rules";
const MODES: Record<string, { compare(count: number): Promise<void>; goal: string }> = {
  "": { compare, goal: "0.85 of the bare handler, unknown codes at least as fast as known ones" },
  details: { compare: compareDetailed, goal: "0.8 of the bare handler, with details ≥ 0.75" },
  domains: { compare: compareDomains, goal: "0.97 of Waymark without other domains" },
  pages: { compare: comparePages, goal: "0.9 of the answer without a page" },
  case: { compare: compareCase, goal: "0.9 of Waymark with case" },
  tails: { compare: compareTails, goal: "0.9 of unknown codes without it" },
  rules: { compare: compareRules, goal: "0.5 of the bare handler with ten rules" },
};
const MODE = MODES[process.argv[5] ?? ""];
if (MODE === undefined) throw new Error(`the fourth argument is one of ${Object.keys(MODES).join(" ")}`);
const { goal: GOAL } = MODE;

type Case = {
  name: string;
  subject: Subject;
  prefix: string;
  isMissing: boolean;
  host?: string;
  dest?: string;
};
type Sample = { perSecond: number; cpuMicros: number; p99: number; requests: number; disturbance: number };
/** One sample per case, in order. */
type Round = Sample[];

requireTools();
for (const count of SIZES) await MODE.compare(count);

async function compare(count: number): Promise<void> {
  console.log(`\n${count.toLocaleString("en")} links, ${ROUNDS} rounds of ${SECONDS} s`);
  const data = await createDataFolder(count);
  const untouched = await createDataFolder(count);
  const subjects: Subject[] = [];
  const start = async (subject: Promise<Subject>): Promise<Subject> => {
    subjects.push(await subject);
    return subject;
  };
  try {
    const bare = await start(startBare(count));
    const waymark = await start(startWaymark(data));
    const refuser = await start(startWaymark(untouched));
    const cases: Case[] = [
      { name: "bare Bun.serve with a Map", subject: bare, prefix: "c", isMissing: false },
      { name: "Waymark, known links", subject: waymark, prefix: "c", isMissing: false },
      { name: "Waymark, unknown codes (404)", subject: refuser, prefix: "x", isMissing: true },
    ];
    const nginx = await startNginx();
    if (nginx !== null) {
      subjects.push(nginx);
      cases.push({ name: "nginx, return 307", subject: nginx, prefix: "c", isMissing: false });
    }
    for (const subject of [waymark, refuser]) await settle(subject);
    const rounds = await runRounds(cases, count);
    report(cases, choose(rounds));
    await waymark.stop();
    const found = rounds.reduce((sum, round) => sum + round[1]!.requests, 0);
    await checkClicks(data, found);
  } finally {
    await Promise.all(subjects.map((subject) => subject.stop()));
    for (const folder of [data, untouched]) folder.remove();
  }
}

/** The cost of detailed logging, beside the same program without it. */
async function compareDetailed(count: number): Promise<void> {
  console.log(`\n${count.toLocaleString("en")} links, ${ROUNDS} rounds of ${SECONDS} s, a browser's headers`);
  const folders = [await createDataFolder(count), await createDataFolder(count)] as const;
  const subjects: Subject[] = [];
  try {
    setConfig(folders[1], "analytics.enable_detailed_logging", "true");
    subjects.push(await startBare(count), await startWaymark(folders[0]), await startWaymark(folders[1]));
    const names = ["bare Bun.serve with a Map", "Waymark", "Waymark, detailed logging"];
    const cases = subjects.map((subject, at) => ({
      name: names[at]!,
      subject,
      prefix: "c",
      isMissing: false,
    }));
    for (const subject of subjects) await settle(subject);
    const rounds = await runRounds(cases, count);
    report(cases, choose(rounds));
    await Promise.all(subjects.map((subject) => subject.stop()));
    const found = rounds.reduce((sum, round) => sum + round[2]!.requests, 0);
    await checkClicks(folders[1], found);
    console.log(`In detail: ${await folders[1].loggedClicks()} of them; the rest came while 50,000 waited.`);
  } finally {
    await Promise.all(subjects.map((subject) => subject.stop()));
    for (const folder of folders) folder.remove();
  }
}

async function compareDomains(count: number): Promise<void> {
  console.log(`\n${count.toLocaleString("en")} links, ${ROUNDS} rounds of ${SECONDS} s`);
  const kinds: { name: string; made: object; host?: string }[] = [
    { name: "no other domain", made: {} },
    { name: "ten domains, default host", made: { domains: 10 } },
    { name: "ten domains, another host", made: { domains: 10, linksOn: 1 }, host: hostAt(1) },
  ];
  const folders: DataFolder[] = [];
  const cases: Case[] = [];
  try {
    for (const { made, ...kind } of kinds) {
      folders.push(await createDataFolder(count, made));
      cases.push({ ...kind, subject: await startWaymark(folders.at(-1)!), prefix: "c", isMissing: false });
    }
    for (const { subject } of cases) await settle(subject);
    report(cases, choose(await runRounds(cases, count)));
  } finally {
    await Promise.all(cases.map(({ subject }) => subject.stop()));
    for (const folder of folders) folder.remove();
  }
}

async function compareRules(count: number): Promise<void> {
  console.log(`\n${count.toLocaleString("en")} links, ${ROUNDS} rounds of ${SECONDS} s, a browser's headers`);
  const folders = [await createDataFolder(count), await createDataFolder(count, { ruled: true })] as const;
  const subjects: Subject[] = [];
  try {
    subjects.push(await startBare(count), await startWaymark(folders[0]), await startWaymark(folders[1]));
    const names = ["bare Bun.serve with a Map", "Waymark, no rules", "Waymark, ten rules"];
    const shared = { prefix: "c", isMissing: false };
    const cases = subjects.map((subject, at) => ({ ...shared, name: names[at]!, subject }));
    for (const subject of subjects) await settle(subject);
    report(cases, choose(await runRounds(cases, count)));
  } finally {
    await Promise.all(subjects.map((subject) => subject.stop()));
    for (const folder of folders) folder.remove();
  }
}

async function comparePages(count: number): Promise<void> {
  console.log(`\n${count.toLocaleString("en")} links, ${ROUNDS} rounds of ${SECONDS} s, a browser's headers`);
  const folders = [await createDataFolder(count), await createDataFolder(count)];
  const subjects: Subject[] = [];
  try {
    for (const folder of folders) subjects.push(await startWaymark(folder));
    const shared = { prefix: "x", isMissing: true };
    const cases: Case[] = [
      { ...shared, name: "404 without a page", subject: subjects[0]!, dest: "empty" },
      { ...shared, name: "404 with a page", subject: subjects[1]!, dest: "document" },
    ];
    for (const subject of subjects) await settle(subject);
    report(cases, choose(await runRounds(cases, count)));
  } finally {
    await Promise.all(subjects.map((subject) => subject.stop()));
    for (const folder of folders) folder.remove();
  }
}

function compareCase(count: number): Promise<void> {
  return compareSetting(count, "links.ignore_case", [
    { name: "with case", prefix: "c", isMissing: false },
    { name: "without case", prefix: "c", isMissing: false },
    { name: "without case, in capitals", prefix: "C", isMissing: false },
  ]);
}

function compareTails(count: number): Promise<void> {
  return compareSetting(count, "links.forgive_tails", [
    { name: "404", prefix: "x", isMissing: true },
    { name: "404, tails forgiven", prefix: "x", isMissing: true },
    { name: "404 with a slash, tails forgiven", prefix: "x/", isMissing: true },
  ]);
}

/** The first case without the setting, each other one with it. */
async function compareSetting(
  count: number,
  key: string,
  cases: readonly Omit<Case, "subject">[],
): Promise<void> {
  console.log(`\n${count.toLocaleString("en")} links, ${ROUNDS} rounds of ${SECONDS} s`);
  const folders: DataFolder[] = [];
  const started: Case[] = [];
  try {
    for (const [at, one] of cases.entries()) {
      const folder = await createDataFolder(count);
      folders.push(folder);
      if (at > 0) setConfig(folder, key, "true");
      started.push({ ...one, subject: await startWaymark(folder) });
    }
    for (const { subject } of started) await settle(subject);
    report(started, choose(await runRounds(started, count)));
  } finally {
    await Promise.all(started.map(({ subject }) => subject.stop()));
    for (const folder of folders) folder.remove();
  }
}

/** Waymark answers while it loads its links; the comparison is of loaded servers. */
async function settle(subject: Subject): Promise<void> {
  for (let before = -1; subject.cpuSeconds() - before > 0.03; await Bun.sleep(500))
    before = subject.cpuSeconds();
}

/** All rounds, including the first, which warms up the compilers. */
async function runRounds(cases: readonly Case[], count: number): Promise<Round[]> {
  const rounds: Round[] = [];
  for (const { subject } of cases) subject.pause();
  let quiet = 0;
  while (rounds.length <= MOST_ROUNDS && quiet < ROUNDS) {
    const round: Round = [];
    for (const one of cases) round.push(await sample(one, count));
    rounds.push(round);
    if (rounds.length > 1 && isQuiet(round)) quiet++;
  }
  for (const { subject } of cases) subject.resume();
  return rounds;
}

function isQuiet(round: Round): boolean {
  return round.every((one) => one.disturbance <= DISTURBANCE);
}

/** The quiet rounds without the first; all when too few are quiet. */
function choose([, ...rounds]: readonly Round[]): Round[] {
  const quiet = rounds.filter(isQuiet);
  if (quiet.length === ROUNDS) return quiet;
  console.log(`The machine was busy: of ${rounds.length} rounds ${quiet.length} were undisturbed.`);
  return quiet.length >= 3 ? quiet : rounds;
}

async function sample(
  { name, subject, prefix, isMissing, host, dest }: Case,
  count: number,
): Promise<Sample> {
  subject.resume();
  const before = { subject: subject.cpuSeconds(), machine: busySeconds() };
  const load = await runLoad({
    port: subject.port,
    prefix,
    count,
    seconds: SECONDS,
    browser: DETAILED || dest !== undefined,
    dest,
    host,
  });
  const own = subject.cpuSeconds() - before.subject;
  subject.pause();
  const others = busySeconds() - before.machine - own - load.cpuSeconds;
  if (load.errorStatus !== (isMissing ? load.requests : 0)) throw new Error(`${name}: wrong answers`);
  return {
    perSecond: load.perSecond,
    cpuMicros: (own * 1e6) / load.requests,
    p99: load.p99,
    requests: load.requests,
    disturbance: others / SECONDS,
  };
}

function report(cases: readonly Case[], rounds: readonly Round[]): void {
  line("", "requests/s", "ratio", "µs", "µs ratio", "p99 ms");
  for (const [at, { name }] of cases.entries()) {
    const of = (key: keyof Sample, digits: number) =>
      median(rounds.map((round) => round[at]![key])).toFixed(digits);
    const speed = median(rounds.map((round) => round[at]!.perSecond / round[0]!.perSecond));
    const cost = median(rounds.map((round) => round[0]!.cpuMicros / round[at]!.cpuMicros));
    line(name, of("perSecond", 0), speed.toFixed(2), of("cpuMicros", 2), cost.toFixed(2), of("p99", 2));
  }
  console.log(`Goal: ≥ ${GOAL}.`);
}

function line(name: string, ...cells: string[]): void {
  console.log(name.padEnd(30) + cells.map((cell) => cell.padStart(12)).join(""));
}

/**
 * Every answered click must be counted; a few more were answered after wrk stopped counting. A server that stops leaves
 * clicks that it cannot count within ten seconds to the next start.
 */
async function checkClicks(data: DataFolder, found: number): Promise<void> {
  const startedAt = performance.now();
  let counted = await data.countedClicks();
  for (let starts = 0; counted < found && starts < 10; starts++) {
    const again = await startWaymark(data, { CORES: "0,1" });
    await again.stop();
    counted = await data.countedClicks();
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(
    `Clicks: ${counted} counted for ${found} redirects seen by wrk, the last ones within ${seconds} s.`,
  );
  if (counted < found) throw new Error("clicks were lost");
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
