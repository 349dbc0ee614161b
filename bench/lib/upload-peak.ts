/** Peak memory of servers that take one file of 256 MiB, fresh or after small uploads over 16 connections. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type DriveServer, run, startDriveServer } from "./drive-server.ts";

const SMALL_UPLOADS = 2_000;
const CONNECTIONS = 16;

export type UploadPeaks = { what: string; peaks: number[] };

/** In MiB, sorted; a new server for each. */
export async function measurePeaks(large: string, runs: number): Promise<UploadPeaks[]> {
  const fresh: UploadPeaks = { what: "peak with 256 MiB, fresh", peaks: [] };
  const used: UploadPeaks = { what: `peak with 256 MiB, after ${SMALL_UPLOADS} small files`, peaks: [] };
  for (let i = 0; i < runs; i++) {
    for (const [side, smallUploads] of [
      [fresh, 0],
      [used, SMALL_UPLOADS],
    ] as const) {
      const peak = await peakOf(large, smallUploads);
      console.log(`${side.what}: ${peak.toFixed(0)} MB`);
      side.peaks.push(peak);
    }
  }
  return [fresh, used].map(({ what, peaks }) => ({ what, peaks: peaks.toSorted((a, b) => a - b) }));
}

async function peakOf(large: string, smallUploads: number): Promise<number> {
  const server = await startDriveServer();
  try {
    await sendSmall(server, smallUploads);
    const sender = [process.execPath, join(import.meta.dir, "send-form.ts")];
    await run([...sender, `${server.url}/files/upload`, server.client.token, large, "large"]);
    const status = readFileSync(`/proc/${server.pid}/status`, "utf8");
    return Number(/^VmHWM:\s+(\d+)/m.exec(status)![1]) / 1024;
  } finally {
    await server.stop();
  }
}

async function sendSmall({ client }: DriveServer, count: number): Promise<void> {
  let next = 0;
  const send = async (): Promise<void> => {
    while (next < count) {
      const name = `small ${next++}`;
      const { status } = await client.upload(name, name.padEnd(4096));
      if (status !== 201) throw new Error(`An upload was answered ${status}`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, send));
}
