/** docs/performance.md from what bench/performance.ts measured: texts, tables and two charts beside the page. */
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { lineChart } from "./line-chart.ts";
import type { OpenResult, Percentiles } from "./open-loop.ts";

export type Measured = OpenResult & { name: string; rate: number };
export type Most = { name: string; prefix: string; browser: boolean; perSecond: number };

export type Facts = {
  date: string;
  cores: number;
  processor: string;
  /** The last one that changed the server. */
  commit: string;
  versions: string;
  /** Load averages before the start. */
  load: string;
  /** Cores that other programs had while something was measured. */
  others: number;
  /** Of the scheduler's group of this session. */
  nice: string;
  minutes: number;
  links: number;
  seconds: number;
};

export type Results = {
  facts: Facts;
  /** Waymark first. */
  mosts: readonly Most[];
  /** By rate; in each Waymark, bare Bun.serve, nginx. */
  rates: readonly (readonly Measured[])[];
  kinds: readonly Measured[];
  /** The first one with nothing beside it. */
  beside: readonly Measured[];
  services: readonly Measured[];
};

const ROWS_OF_PERCENTILES = ["p50", "p90", "p99", "p99.9", "max"];
const KEYS = ["p50", "p90", "p99", "p999", "max"] as const;
/** Of the rate that was asked: less is not kept up with. */
const KEPT_UP = 0.98;
/** Of the generator's time. */
const LEAST_SPARE = 0.1;

/** Writes the page, and its charts into the folder with its name. */
export function writePage(file: string, results: Results): void {
  const name = basename(file, ".md");
  const folder = join(dirname(file), name);
  mkdirSync(folder, { recursive: true });
  const { rates, beside } = results;
  const servers = rates[0]!.map((one) => one.name);
  const byRate = lineChart({
    title: "99 of 100 redirects were faster than this",
    x: { label: "redirects a second", labels: rates.map((row) => count(row[0]!.rate)) },
    y: "ms",
    series: servers.map((server, at) => ({
      name: server,
      values: rates.map((row) => row[at]!.corrected.p99),
    })),
  });
  const byWork = lineChart({
    title: "Redirects beside other work",
    x: { label: "of all redirects", labels: ROWS_OF_PERCENTILES },
    y: "ms",
    series: beside.map((one) => ({
      name: one.name,
      values: KEYS.map((key) => one.corrected[key]),
    })),
  });
  writeFileSync(join(folder, "rates.svg"), byRate);
  writeFileSync(join(folder, "beside.svg"), byWork);
  writeFileSync(file, pageOf(results, name));
}

function pageOf({ facts, mosts, rates, kinds, beside, services }: Results, folder: string): string {
  const all = [...rates.flat(), ...kinds, ...beside, ...services];
  const late = all.filter(isLate).length;
  const waymark = rates.map(([one]) => one!);
  const held = waymark.findLast(keepsUp);
  return `# Performance

\`npm run bench\` measured this and wrote this page on ${facts.date}, in ${facts.minutes.toFixed(0)} minutes, for the server of commit ${facts.commit}. Don't edit it: run the program again, on your machine, and compare.

| | |
|---|---|
| Machine | ${facts.processor}, ${facts.cores} cores |
| Versions | ${facts.versions} |
| Load averages before the start | ${facts.load} |
| Other programs, while something was measured | ${Math.max(0, facts.others).toFixed(2)} cores |
| Nice value of the benchmark among other sessions | ${facts.nice} |
| Links | ${count(facts.links)}, on SQLite, asked at random |

${facts.others > 0.1 ? "**The machine was busy with other work.** Rates are lower and latencies higher than on a machine of its own. The rows of a table suffered alike only roughly, so small differences between them mean nothing.\n\n" : ""}The server has **one core** for all its threads, and the load generator the other. Every click is counted and journaled. More cores serve more: \`server.workers\`.

## How latencies are measured

Requests have a schedule: at 1,000 a second one is due each millisecond, whether the server has answered the earlier ones or not, as visitors do not wait for each other. The latency of a request counts from when it was **due**. A generator that waits for answers before it asks again measures less just when a server is slow, because it asks less: a server that stands still for a second delays one request of each connection then, instead of all that were due. The columns *uncorrected* show what such a generator would have seen.

p99 = 2 means that 99 of 100 answers came within 2 ms. Each row has ${facts.seconds} seconds of requests over up to 256 connections, after two seconds that do not count. ${
    late === 0
      ? "The generator itself was always in time."
      : `In ${late} of ${all.length} rows, marked †, the generator was the limit: it was late, because other programs had its core, or had no time left. These rows say what the generator could do; the server can do at least that.`
  }

## The most that a core can do

64 connections that ask again as soon as they have an answer. This shows how many redirects a core has, not how long they take. Medians of three rounds in turn.

${table(
  ["", "a second", "of Waymark's"],
  mosts.map(({ name, perSecond }) => [name, count(perSecond), (perSecond / mosts[0]!.perSecond).toFixed(2)]),
)}

Bare \`Bun.serve\` with a \`Map\` is the least that a program on this runtime can do: it counts nothing. nginx answers every code with the same fixed address, without looking anything up.

## Redirects at fixed rates

From a tenth of what Waymark can do at most to a tenth more than that. ${
    held === undefined
      ? "No measurement kept up with Waymark's rates."
      : `The highest rate that was kept up with was ${count(held.rate)} a second.`
  } A core does fewer than in the table above, because requests come one by one: a server that waits for the next one gives its core away, on a busy machine to others. A server that is asked more than it can do falls behind further with each second, so the latencies in such rows grow with the length of the measurement: they say that it is too much, not how long visitors wait.

![The p99 of three servers by rate](${folder}/rates.svg)

${latencyTable("a second", rates.flat(), (one) => `${count(one.rate)}, ${one.name}`)}

## Kinds of requests

At half of the highest rate that was kept up with, for links with rules less in proportion. A browser sends ten times the bytes of a short request. Ten rules of a link are all judged, and none holds. For a code that does not exist the Bloom filter usually answers without the database.

${latencyTable("", kinds, (one) => `${one.name} (${count(one.rate)} a second)`)}

## Redirects beside other work

At half of the highest rate that was kept up with (${count(beside[0]!.rate)} a second), while the same core also does something else without pauses. The flush moves clicks from the journal to the database in a thread of its own. Exports, imports and backups want the core for themselves, and the machine gives it by turns; with a second core for the server less of that is left.

![Percentiles of redirects beside other work](${folder}/beside.svg)

${latencyTable("beside", beside, ({ name }) => name)}

## Pages, files and the API

At rates that a team does not reach. Uploads are synchronized to the disk before they are answered.

${latencyTable("", services, (one) => `${one.name} (${count(one.rate)} a second)`)}

## What this does not say

It is one machine and one run, with the client on the same machine: no network, no TLS, no proxy. [bench](../bench/README.md) has a program for each promise, with millions of links, large files and other databases. CI compares the redirect with that of an earlier commit (\`bin/bun bench/pairs.ts\`) and fails when it is a tenth slower.
`;
}

export const keepsUp = (one: Measured): boolean => one.perSecond >= one.rate * KEPT_UP;
/** More than half of the p99 is the generator's own, or the generator had no time left. */
const isLate = (one: Measured): boolean =>
  one.generator.p99 > one.corrected.p99 / 2 || one.spare < LEAST_SPARE;

function latencyTable(first: string, rows: readonly Measured[], nameOf: (one: Measured) => string): string {
  const milliseconds = (of: Percentiles) => KEYS.map((key) => ms(of[key]));
  return table(
    [first, "answered", ...ROWS_OF_PERCENTILES.map((key) => `${key} ms`), "uncorrected p99", "max"],
    rows.map((one) => [
      nameOf(one) + (isLate(one) ? " †" : ""),
      keepsUp(one) ? "all" : `**${Math.floor((one.perSecond / one.rate) * 100)} %**`,
      ...milliseconds(one.corrected),
      ms(one.uncorrected.p99),
      ms(one.uncorrected.max),
    ]),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [
    line(head),
    `|${head.map((_, at) => (at === 0 ? "---|" : "--:|")).join("")}`,
    ...rows.map(line),
  ].join("\n");
}

const count = (value: number): string => Math.round(value).toLocaleString("en");
const ms = (value: number): string => (value < 10 ? value.toFixed(2) : count(value));
