/**
 * Uploads of this tree beside those of another one, for example the code before a change: small files over 16
 * connections, and files of 256 MiB, in turns. The servers have the cores of this process (`taskset -c 0`), the clients
 * the other core. Who isn't asked is stopped. Processor time counts all threads of a server. The peak is of a server
 * that took all of it.
 */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type DriveServer, median, run } from "./drive-server.ts";
import { processMs } from "./machine.ts";

const ROUNDS = 5;
const CLIENT_CORE = "1";
const LARGE_BYTES = 256 * 2 ** 20;
const MIB = 2 ** 20;

type Side = {
  tree: string;
  server: DriveServer;
  smallRates: number[];
  smallMs: number[];
  largeRates: number[];
  largeMs: number[];
};

export type UploadsOfSide = {
  tree: string;
  /** Small files a second, and processor time for each in milliseconds. */
  small: { perSecond: number; cpuMs: number };
  /** 256 MiB, in MiB a second, and processor time for all of it in milliseconds. */
  large: { mibPerSecond: number; cpuMs: number };
  /** VmHWM at the end, in MiB. */
  peakMib: number;
};

/** `large` has 256 MiB. Also tells how fast it is written raw, in MiB a second. */
export async function compareUploads(
  trees: readonly string[],
  large: string,
): Promise<{ sides: UploadsOfSide[]; rawMibPerSecond: number }> {
  const sides: Side[] = [];
  const raw: number[] = [];
  try {
    for (const tree of trees) sides.push(await startSide(tree));
    for (let round = 0; round <= ROUNDS; round++) {
      raw.push((LARGE_BYTES / MIB / (await writeRaw(large))) * 1_000);
      for (const side of sides) {
        process.kill(side.server.pid, "SIGCONT");
        await measureSmall(side, round);
        await measureLarge(side, round, large);
        process.kill(side.server.pid, "SIGSTOP");
      }
    }
    return { sides: sides.map(summary), rawMibPerSecond: median(raw) };
  } finally {
    for (const { server } of sides) {
      process.kill(server.pid, "SIGCONT");
      await server.stop();
    }
  }
}

async function startSide(tree: string): Promise<Side> {
  const { startDriveServer } = (await import(join(tree, "bench", "lib", "drive-server.ts"))) as {
    startDriveServer(): Promise<DriveServer>;
  };
  const server = await startDriveServer();
  process.kill(server.pid, "SIGSTOP");
  return { tree, server, smallRates: [], smallMs: [], largeRates: [], largeMs: [] };
}

async function measureSmall({ server, smallRates, smallMs }: Side, round: number): Promise<void> {
  const before = processMs(server.pid);
  const script = join(import.meta.dir, "uploads.lua");
  const wrk = ["taskset", "-c", CLIENT_CORE, "wrk", "-t1", "-c16", "-d4s", "-s", script, server.url];
  const text = await run(wrk, { TOKEN: server.client.token, RUN: `pair${round}-${crypto.randomUUID()}` });
  const { requests, microseconds, errors } = JSON.parse(/^RESULT (.*)$/m.exec(text)![1]!);
  if (errors > 0) throw new Error(`${errors} uploads failed`);
  // The first round warms up.
  if (round === 0) return;
  smallRates.push(requests / (microseconds / 1e6));
  smallMs.push((processMs(server.pid) - before) / requests);
}

async function measureLarge(
  { server, largeRates, largeMs }: Side,
  round: number,
  large: string,
): Promise<void> {
  const before = processMs(server.pid);
  const { url, client } = server;
  const sender = [process.execPath, join(import.meta.dir, "send-form.ts")];
  const sent = await run([
    "taskset",
    "-c",
    CLIENT_CORE,
    ...sender,
    `${url}/files/upload`,
    client.token,
    large,
    `large-${round}`,
  ]);
  const { ms, answer } = JSON.parse(sent);
  const used = processMs(server.pid) - before;
  await client.call("DELETE", `/files/${answer.data.id}`);
  if (round === 0) return;
  largeRates.push((LARGE_BYTES / MIB / ms) * 1_000);
  largeMs.push(used);
}

const summary = ({ tree, server, smallRates, smallMs, largeRates, largeMs }: Side): UploadsOfSide => ({
  tree,
  small: { perSecond: median(smallRates), cpuMs: median(smallMs) },
  large: { mibPerSecond: median(largeRates), cpuMs: median(largeMs) },
  peakMib: Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))![1]) / 1024,
});

async function writeRaw(large: string): Promise<number> {
  const copy = `${large}.copy`;
  const ms = Number(await run([process.execPath, join(import.meta.dir, "write-raw.ts"), large, copy]));
  rmSync(copy);
  return ms;
}
