/**
 * Kills the real program at random moments while files are uploaded, in forms and resumable, and compares what was
 * answered with what is there (support/upload-load.ts). Then the doctor must find nothing wrong.
 *
 *     bin/bun test/faults/uploads-kill.ts [--rounds 50] [--minutes N] [--database sqlite] [--storage local] [--workers 2]
 *
 * Also prints how many staged bytes the kills left. Rounds take turns like those of clicks-kill.ts.
 */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createMigrated } from "../../src/db/schema-copy.test-support.ts";
import { driveClient, type DriveClient } from "../support/drive.ts";
import { countRounds, type FaultOptions, type FaultResult, runFaultScript } from "../support/fault-script.ts";
import { endInTurn } from "../support/processes.ts";
import { PASSWORD, signIn } from "../support/session.ts";
import {
  checkUploads,
  createUploadFolder,
  createUploadRecord,
  startUploads,
} from "../support/upload-load.ts";
import { install, type RunningWaymark } from "../support/waymark.ts";

const CLIENTS = 7;
/** The kill comes within this time after the load starts. */
const LONGEST_LIFE_MS = 600;
const REPORT_EVERY = 5;

export type UploadNumbers = {
  rounds: number;
  tried: number;
  answered: number;
  refused: number;
  /** Calls without an answer. */
  broken: number;
  resumed: number;
  /** In the staging of the local storage after the last kill. */
  stagedBytes: number;
};

export async function killDuringUploads(options: FaultOptions): Promise<FaultResult<UploadNumbers>> {
  const { database, storage = "local", workers = 2, report } = options;
  const fresh = await createMigrated(database);
  const waymark = install({
    WAYMARK__DATABASE__URL: fresh.url,
    WAYMARK__SERVER__WORKERS: String(workers),
  });
  const record = createUploadRecord();
  const numbers = (rounds: number): UploadNumbers => ({
    rounds,
    tried: record.tried.size,
    answered: record.answered.size,
    refused: record.refused,
    broken: record.broken,
    resumed: record.resumed,
    stagedBytes: stagedBytes(waymark.dataDir),
  });
  try {
    await waymark.run(["reset-password", "--stdin"], PASSWORD);
    let server = await waymark.serve();
    const folder = await createUploadFolder(await accountOf(server), storage);
    let tried = numbers(0);
    for (const round of countRounds(options)) {
      const me = await accountOf(server);
      const clients = Array.from({ length: CLIENTS }, () => me);
      const load = startUploads({ clients, folder, record });
      await Bun.sleep(Math.random() * LONGEST_LIFE_MS);
      await endInTurn(server, round, LONGEST_LIFE_MS);
      await load.end();
      tried = numbers(round);
      if (round % REPORT_EVERY === 0) report?.(tried);
      server = await waymark.serve();
    }
    const lost = await checkUploads(await accountOf(server), folder, record);
    await server.stop();
    const doctor = await waymark.cli(["doctor", "--storage"]);
    if (doctor.exitCode !== 0) lost.push(`the doctor: ${doctor.stdout}${doctor.stderr}`);
    return { tried: { ...numbers(tried.rounds), stagedBytes: tried.stagedBytes }, lost };
  } finally {
    await waymark.remove();
    await fresh.drop();
  }
}

async function accountOf({ url }: RunningWaymark): Promise<DriveClient> {
  return driveClient(url, (await signIn(url)).token);
}

function stagedBytes(dataDir: string): number {
  const names = readdirSync(dataDir, { recursive: true, encoding: "utf8" });
  const staged = names.map((name) => join(dataDir, name)).filter((path) => path.includes("/.staging/"));
  return staged.reduce((sum, path) => sum + statSync(path).size, 0);
}

if (import.meta.main) await runFaultScript(killDuringUploads, { rounds: 50, database: "sqlite", workers: 2 });
