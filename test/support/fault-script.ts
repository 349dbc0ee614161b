/**
 * What the scripts in test/faults/ share: options, rounds, the result and the exit code.
 *
 *     --rounds N  --minutes N     end after so many, whichever comes first
 *     --database NAME             sqlite (default), postgres, mysql or mariadb: a new database on the server of
 *                                 WAYMARK_TEST_…_URL, dropped at the end
 *     --storage local|s3          for uploads; s3 is the bucket of WAYMARK_TEST_S3_…
 *     --workers N
 */
import { parseArgs } from "node:util";
import {
  DIALECT_NAMES,
  type DialectName,
  SERVER_VARIABLES,
  serverUrl,
} from "../../src/platform/db/fresh.test-support.ts";
import { STORAGE_NAMES, type StorageName } from "./storages.ts";

export type FaultOptions = {
  rounds: number;
  minutes?: number;
  database: DialectName;
  storage?: StorageName;
  workers?: number;
  /** Of clients, after each answer. By default they hardly pause. */
  pauseMs?: number;
  /** Receives the numbers now and then. */
  report?: (tried: object) => void;
};

type Numbers = { rounds: number; answered: number };

/** `lost` has a line for each thing that was answered and is not there, and for each wrong answer. */
export type FaultResult<Tried extends Numbers = Numbers> = { tried: Tried; lost: string[] };

/** Counts from 1 until rounds or minutes are over. */
export function* countRounds({
  rounds,
  minutes = Infinity,
}: Pick<FaultOptions, "rounds" | "minutes">): Generator<number, void> {
  const end = performance.now() + minutes * 60_000;
  for (let round = 1; round <= rounds && performance.now() < end; round++) yield round;
}

/** Runs it as the command line says and prints what was tried and lost. Fails if anything was lost, or nothing answered. */
export async function runFaultScript(
  run: (options: FaultOptions) => Promise<FaultResult>,
  defaults: { rounds: number; database: DialectName; workers: number },
): Promise<void> {
  const print = (tried: object) => console.log(JSON.stringify(tried));
  const { tried, lost } = await run({ ...readOptions(defaults), report: print });
  print({ ...tried, lost: lost.length });
  for (const line of lost) console.log(`lost: ${line}`);
  process.exitCode = lost.length === 0 && tried.answered > 0 ? 0 : 1;
}

function readOptions(defaults: { rounds: number; database: DialectName; workers: number }): FaultOptions {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    options: { rounds: text, minutes: text, database: text, storage: text, workers: text },
  });
  const database = oneOf("database", DIALECT_NAMES, values.database ?? defaults.database);
  const storage = oneOf("storage", STORAGE_NAMES, values.storage ?? "local");
  const missing = missingVariable({ database, storage });
  if (missing !== null) throw new Error(`${missing} is not set; scripts/services env prints it`);
  const rounds = values.minutes === undefined ? defaults.rounds : Infinity;
  return {
    rounds: values.rounds === undefined ? rounds : positive("rounds", values.rounds),
    ...(values.minutes !== undefined && { minutes: positive("minutes", values.minutes) }),
    database,
    storage,
    workers: values.workers === undefined ? defaults.workers : positive("workers", values.workers),
  };
}

/** The first variable of a server that the run needs and does not have. */
export function missingVariable({
  database,
  storage,
}: Pick<FaultOptions, "database" | "storage">): string | null {
  if (database !== "sqlite" && serverUrl(database) === undefined) return SERVER_VARIABLES[database];
  return storage === "s3" && !process.env["WAYMARK_TEST_S3_URL"] ? "WAYMARK_TEST_S3_URL" : null;
}

function positive(name: string, text: string): number {
  const number = Number(text);
  if (number > 0 && (name === "minutes" || Number.isInteger(number))) return number;
  throw new Error(`--${name} takes a number above 0`);
}

function oneOf<T extends string>(name: string, allowed: readonly T[], text: string): T {
  const found = allowed.find((one) => one === text);
  if (found !== undefined) return found;
  throw new Error(`--${name} takes ${allowed.join(", ")}`);
}
