/**
 * Takes the S3 endpoint away while files are uploaded, in forms and resumable: its gateway refuses or hangs, in turns.
 * After each time files are taken again without a restart. At the end what was answered is there with its bytes, nothing
 * else is, and the doctor finds nothing wrong.
 *
 *     bin/bun test/faults/storage-away.ts [--rounds 10] [--database postgres]
 */
import { createMigrated } from "../../src/platform/db/schema-copy.test-support.ts";
import { startProxyTo } from "../../src/lib/tcp-proxy.test-support.ts";
import { driveClient } from "../support/drive.ts";
import { countRounds, type FaultOptions, type FaultResult, runFaultScript } from "../support/fault-script.ts";
import { PASSWORD, signIn } from "../support/session.ts";
import { until } from "../support/until.ts";
import {
  checkUploads,
  createUploadFolder,
  createUploadRecord,
  startUploads,
} from "../support/upload-load.ts";
import { install } from "../support/waymark.ts";

const CLIENTS = 3;
const LONGEST_OUTAGE_MS = 6_000;

export type StorageNumbers = {
  rounds: number;
  tried: number;
  answered: number;
  refused: number;
  /** Calls without an answer, such as one refused while its body was still sent. */
  broken: number;
  resumed: number;
  /** Of each round: until a file was taken again. */
  backMs: number[];
};

export async function takeStorageAway(options: FaultOptions): Promise<FaultResult<StorageNumbers>> {
  const { database, workers = 1, report } = options;
  const real = process.env["WAYMARK_TEST_S3_URL"]!;
  const gateway = await startProxyTo(real);
  const fresh = await createMigrated(database);
  const waymark = install({
    WAYMARK__DATABASE__URL: fresh.url,
    WAYMARK__SERVER__WORKERS: String(workers),
  });
  const record = createUploadRecord();
  const backMs: number[] = [];
  const numbers = (): StorageNumbers => ({
    rounds: backMs.length,
    tried: record.tried.size,
    answered: record.answered.size,
    refused: record.refused,
    broken: record.broken,
    resumed: record.resumed,
    backMs,
  });
  try {
    // The policy of the test's folder has this endpoint.
    process.env["WAYMARK_TEST_S3_URL"] = gateway.through(real);
    await waymark.run(["reset-password", "--stdin"], PASSWORD);
    const server = await waymark.serve();
    const me = driveClient(server.url, (await signIn(server.url)).token);
    const folder = await createUploadFolder(me, "s3");
    const load = startUploads({
      clients: Array.from({ length: CLIENTS }, () => me),
      folder,
      record,
      pauseMs: 50,
    });
    for (const round of countRounds(options)) {
      await Bun.sleep(Math.random() * 1_000);
      if (round % 2 === 1) gateway.sever();
      else gateway.mode = "hang";
      await Bun.sleep(Math.random() * LONGEST_OUTAGE_MS);
      const answered = record.answered.size;
      gateway.heal();
      const begun = performance.now();
      await until(() => record.answered.size > answered);
      backMs.push(Math.round(performance.now() - begun));
      report?.(numbers());
    }
    await load.end();
    const lost = await checkUploads(me, folder, record);
    await server.stop();
    const doctor = await waymark.cli(["doctor", "--storage"]);
    if (doctor.exitCode !== 0) lost.push(`the doctor: ${doctor.stdout}${doctor.stderr}`);
    return { tried: numbers(), lost };
  } finally {
    process.env["WAYMARK_TEST_S3_URL"] = real;
    await waymark.remove();
    await fresh.drop();
    gateway.stop();
  }
}

if (import.meta.main) await runFaultScript(takeStorageAway, { rounds: 10, database: "postgres", workers: 1 });
