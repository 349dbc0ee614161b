/** The real program for file benchmarks: on all cores, with the built-in administrator signed in. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { driveClient, type DriveClient } from "../../test/support/drive.ts";
import { startSignedIn } from "../../test/support/session.ts";

export type DriveServer = {
  url: string;
  client: DriveClient;
  dataDir: string;
  pid: number;
  stop(): Promise<void>;
};

export async function startDriveServer(): Promise<DriveServer> {
  const { installation, server, client } = await startSignedIn({
    WAYMARK__LOGGING__LEVEL: "info",
    ...(process.env["LOOP_GAP_FILE"] && { BUN_OPTIONS: `--preload ${join(import.meta.dir, "loop-gap.ts")}` }),
  });
  return {
    url: server.url,
    client: driveClient(server.url, client.token),
    dataDir: installation.dataDir,
    pid: server.process.pid,
    stop: () => installation.remove(),
  };
}

const rssMb = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024;

/** The largest growth of the process in MB during the work. */
export async function growthDuring(pid: number, work: () => Promise<unknown>): Promise<number> {
  const before = rssMb(pid);
  let peak = before;
  const sampling = setInterval(() => (peak = Math.max(peak, rssMb(pid))), 10);
  await work();
  clearInterval(sampling);
  return peak - before;
}

export const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
};

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Runs a program to its end. */
export async function run(
  command: readonly string[],
  environment: Record<string, string> = {},
): Promise<string> {
  const env = { ...process.env, ...environment };
  const child = Bun.spawn([...command], { env, stdout: "pipe", stderr: "inherit" });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ").slice(0, 200)} failed: ${text}`);
  return text;
}
