/**
 * The fault table: causes faults under load, compares answers with what is stored, and prints what was lost. Fails if
 * anything was. What a machine can't cause has its reason.
 *
 *     npm run faults -- [--only TEXT] [--database NAME] [--rounds 2] [--minutes N] [--record FILE] [--markdown FILE]
 *                       [--said] [--port N]
 *
 * After `--minutes` no row begins. Rows are added to the `--record`; a run skips what that has. `--said` prints refusals
 * and warnings. Servers use `--port` and the 40 after it.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { DIALECT_NAMES, type DialectName } from "../../src/platform/db/fresh.test-support.ts";
import { killBelow } from "../support/processes.ts";
import { faults } from "./faults.ts";
import type { Fault, Outcome } from "./row.ts";
import { type ServerName, type Servers, startServers } from "./servers.ts";
import { type Line, markdownOf, OVER, textOf } from "./print.ts";

const MOST_SAID = 10;
const text = { type: "string" } as const;
const { values } = parseArgs({
  options: {
    only: { ...text, multiple: true },
    database: { ...text, multiple: true },
    rounds: { ...text, default: "2" },
    minutes: { ...text, default: "600" },
    record: text,
    markdown: text,
    port: { ...text, default: "17900" },
    said: { type: "boolean", default: false },
  },
});

const databases = (values.database ?? DIALECT_NAMES) as DialectName[];
const unknown = databases.find((name) => !DIALECT_NAMES.includes(name));
if (unknown !== undefined) throw new Error(`--database takes ${DIALECT_NAMES.join(", ")}`);
for (const name of ["rounds", "minutes"] as const)
  if (!(Number(values[name]) > 0)) throw new Error(`--${name} takes a number above 0`);

let servers: Servers | null = null;
const isWanted = ({ name }: Fault) =>
  values.only === undefined || values.only.some((part) => name.includes(part));
const chosen = faults(() => servers!).filter(isWanted);
const tries = databases.flatMap((database) =>
  chosen.filter((fault) => fault.databases.includes(database)).map((fault) => ({ fault, database })),
);
if (tries.length === 0) throw new Error("no fault has such a name");

const begun = performance.now();
const minutesLeft = () => Number(values.minutes) - (performance.now() - begun) / 60_000;
const recorded = (): Line[] =>
  values.record !== undefined && existsSync(values.record)
    ? readFileSync(values.record, "utf8")
        .trim()
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : [];
const known = recorded();
const isNew = ({ fault, database }: (typeof tries)[number]) =>
  !known.some((line) => line.fault === fault.name && line.database === database);
const lines: Line[] = [];
const needed: ServerName[] = ["redis", "s3", ...databases.filter((name) => name !== "sqlite")];
console.log(`starting ${needed.join(", ")}`);
let end: () => void = () => {};
let isInterrupted = false;
const interrupted = new Promise<void>((resolve) => (end = resolve)).then(() => (isInterrupted = true));
process.once("SIGINT", end).once("SIGTERM", end);
servers = await startServers(needed, Number(values.port));
try {
  await Promise.race([tryAll(), interrupted]);
} finally {
  killBelow(process.pid);
  await servers.down();
}
const order = faults(() => servers!).map(({ name }) => name);
const tried = values.record === undefined ? lines : recorded();
const untried = tries.filter(
  ({ fault, database }) => !tried.some((line) => line.fault === fault.name && line.database === database),
);
const all = [
  ...tried,
  ...untried.map(({ fault, database }) => ({ ...nothing(fault, database), reason: OVER })),
].toSorted((a, b) => order.indexOf(a.fault) - order.indexOf(b.fault));
console.log(textOf(all));
if (values.markdown !== undefined) await Bun.write(values.markdown, markdownOf(all));
const isWrong = all.some(({ failure, lost, doubled }) => failure !== null || lost + doubled > 0);
process.exit(isWrong || isInterrupted ? 1 : 0);

async function tryAll(): Promise<void> {
  const wanted = tries.filter(isNew);
  for (const [at, { fault, database }] of wanted.entries()) {
    const head = `[${at + 1}/${wanted.length}] ${database}: ${fault.name}`;
    if (minutesLeft() <= 0) return console.log(OVER);
    const reason = fault.missing(database);
    console.log(reason === null ? head : `${head}: not tried: ${reason}`);
    const made = reason === null ? await tryOne(fault, database) : [{ ...nothing(fault, database), reason }];
    lines.push(...made);
    if (values.record !== undefined)
      appendFileSync(values.record, made.map((line) => `${JSON.stringify(line)}\n`).join(""));
  }
}

async function tryOne(fault: Fault, database: DialectName): Promise<Line[]> {
  const say = (line: string) => console.log(`    ${line}`);
  try {
    const outcomes = await fault.run({
      database,
      rounds: Math.max(Number(values.rounds), fault.rounds),
      minutes: minutesLeft(),
      say,
    });
    return outcomes.map((outcome) => lineOf(fault, database, outcome, say));
  } catch (error) {
    // A cluster that could not start leaves what did.
    if (!isInterrupted) killBelow(process.pid);
    const failure = error instanceof Error ? error.message : String(error);
    say(`failed: ${failure}`);
    return [{ ...nothing(fault, database), failure }];
  }
}

function lineOf(fault: Fault, database: DialectName, outcome: Outcome, say: (line: string) => void): Line {
  const { subject, rounds, answered, refused, lost, doubled, recoveryMs, said } = outcome;
  for (const line of lost.slice(0, MOST_SAID)) say(`lost: ${subject}: ${line}`);
  for (const line of doubled.slice(0, MOST_SAID)) say(`doubled: ${subject}: ${line}`);
  if (values.said) for (const [line, times] of said) say(`said: ${subject}: ${times} times ${line}`);
  // Nothing is proven by a row in which nothing was answered.
  const failure = answered === 0 ? "nothing was answered" : null;
  return {
    ...nothing(fault, database),
    subject,
    rounds,
    answered,
    refused,
    lost: lost.length,
    doubled: doubled.length,
    recoveryMs,
    failure,
  };
}

function nothing({ name }: Fault, database: DialectName): Line {
  return {
    fault: name,
    database,
    subject: "",
    rounds: 0,
    answered: 0,
    refused: 0,
    lost: 0,
    doubled: 0,
    recoveryMs: 0,
    reason: null,
    failure: null,
    at: new Date().toISOString(),
    load: Math.round(loadavg()[0]!),
  };
}
