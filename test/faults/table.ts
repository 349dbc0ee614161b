/**
 * The fault table: causes faults under load, compares all answers with what is stored, and prints what was tried, lost
 * and doubled. Fails if anything was. Needs root; what a machine can't cause is in the table with its reason.
 *
 *     npm run faults -- [--only TEXT] [--database NAME] [--rounds 2] [--minutes N] [--markdown FILE] [--said]
 *
 * After `--minutes` no row begins. `--said` prints refusals and warnings. Its servers use `--port` and the 40 after it.
 */
import { parseArgs } from "node:util";
import { DIALECT_NAMES, type DialectName } from "../../src/db/fresh.test-support.ts";
import { faults } from "./faults.ts";
import type { Fault, Outcome } from "./row.ts";
import { type ServerName, type Servers, startServers } from "./servers.ts";
import { type Line, markdownOf, textOf } from "./print.ts";

const MOST_SAID = 10;
const text = { type: "string" } as const;
const { values } = parseArgs({
  options: {
    only: { ...text, multiple: true },
    database: { ...text, multiple: true },
    rounds: { ...text, default: "2" },
    minutes: { ...text, default: "600" },
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
const lines: Line[] = [];
const needed: ServerName[] = ["redis", "s3", ...databases.filter((name) => name !== "sqlite")];
console.log(`starting ${needed.join(", ")}`);
servers = await startServers(needed, Number(values.port));
let end: () => void = () => {};
const interrupted = new Promise<void>((resolve) => (end = resolve));
process.once("SIGINT", end).once("SIGTERM", end);
try {
  await Promise.race([tryAll(), interrupted]);
} finally {
  await servers.down();
}
console.log(textOf(lines));
const minutes = (performance.now() - begun) / 60_000;
if (values.markdown !== undefined) await Bun.write(values.markdown, markdownOf(lines, minutes));
const isWrong = lines.some(({ failure, lost, doubled }) => failure !== null || lost + doubled > 0);
process.exit(isWrong || lines.length < tries.length ? 1 : 0);

async function tryAll(): Promise<void> {
  for (const [at, { fault, database }] of tries.entries()) {
    const head = `[${at + 1}/${tries.length}] ${database}: ${fault.name}`;
    const reason = minutesLeft() > 0 ? fault.missing(database) : "the time of the run was over";
    console.log(reason === null ? head : `${head}: not tried: ${reason}`);
    if (reason === null) lines.push(...(await tryOne(fault, database)));
    else lines.push({ ...nothing(fault, database), reason });
  }
}

async function tryOne(fault: Fault, database: DialectName): Promise<Line[]> {
  const say = (line: string) => console.log(`    ${line}`);
  try {
    const outcomes = await fault.run({
      database,
      rounds: Number(values.rounds),
      minutes: minutesLeft(),
      say,
    });
    return outcomes.map((outcome) => lineOf(fault, database, outcome, say));
  } catch (error) {
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
  };
}
