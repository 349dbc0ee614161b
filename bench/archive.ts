/**
 * ZIP archives of folders, each figure beside its goal.
 *
 *     taskset -c 0 bin/bun bench/archive.ts [bytes] [first] [many] [huge]
 *
 * `bytes`: a folder of 1 GiB against the plain downloads of the same files; rounds alternate, and medians of the times
 * and of the processor times of the server count. `first`: the first byte of 10,000 files. `many`: time and memory of
 * 100,000 files. `huge`: 100 GiB that nobody stores. The server has one core by taskset, the client another one.
 */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { type DriveServer, growthDuring, median, run, startDriveServer } from "./lib/drive-server.ts";
import { fillFolder } from "./lib/fill-folder.ts";
import { zipOfZeros } from "./lib/zip-of-zeros.ts";

const GIB = 2 ** 30;
const MIB = 2 ** 20;
const ROUNDS = 5;
const asked = new Set(process.argv.slice(2));
const isAsked = (name: string): boolean => asked.size === 0 || asked.has(name);

const folder = mkdtempSync(join(tmpdir(), "waymark-bench-archive-"));
const server = await startDriveServer();
const otherCore = cpus().length > 1 ? ["taskset", "-c", "1"] : [];

function tell(what: string, value: string, isMet: boolean, goal: string): void {
  console.log(`${what.padEnd(52)}${value.padStart(14)}   goal ${goal}${isMet ? "" : "   MISSED"}`);
}

/** Of all threads, in milliseconds. */
function processorMs({ pid }: DriveServer): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

const CURL = ["curl", "-sS", "-f", "-H"];
const curl = (...paths: string[]): string[] => [
  ...otherCore,
  ...CURL,
  `Authorization: Bearer ${server.client.token}`,
  "-w",
  "%{time_starttransfer} %{time_total} %{size_download}\\n",
  ...paths.flatMap((path) => ["-o", "/dev/null", server.url + path]),
];

type Taken = { firstMs: number; ms: number; cpuMs: number; bytes: number };

async function take(...paths: string[]): Promise<Taken> {
  const before = processorMs(server);
  const lines = (await run(curl(...paths))).trim().split("\n");
  const numbers = lines.map((line) => line.split(" ").map(Number) as [number, number, number]);
  const sum = (at: 1 | 2) => numbers.reduce((total, line) => total + line[at], 0);
  return {
    firstMs: numbers[0]![0] * 1000,
    ms: sum(1) * 1000,
    cpuMs: processorMs(server) - before,
    bytes: sum(2),
  };
}

async function uploadMany(id: number, count: number, bytes: number): Promise<string[]> {
  const paths: string[] = [];
  const block = new Uint8Array(bytes);
  for (let i = 0; i < count; i++) {
    for (let at = 0; at < bytes; at += 65_536) crypto.getRandomValues(block.subarray(at, at + 65_536));
    const path = join(folder, "part");
    const file = openSync(path, "w");
    writeSync(file, block);
    closeSync(file);
    const form = `file=@${path};filename=part ${i}`;
    const out = await run([
      ...CURL,
      `Authorization: Bearer ${server.client.token}`,
      "-F",
      form,
      `${server.url}/files/upload?folder_id=${id}`,
    ]);
    paths.push(`/files/${JSON.parse(out).data.id}/download`);
  }
  return paths;
}

async function benchBytes(files: number): Promise<void> {
  const id = await server.client.folder(`bytes in ${files}`);
  const plainPaths = await uploadMany(id, files, GIB / files);
  const [plain, archived]: Taken[][] = [[], []];
  const growth = await growthDuring(server.pid, async () => {
    for (let round = 0; round <= ROUNDS; round++) {
      const [one, other] = [await take(...plainPaths), await take(`/folders/${id}/archive`)];
      // The first round is warm-up.
      if (round > 0) plain!.push(one);
      if (round > 0) archived!.push(other);
    }
  });
  const of = (taken: readonly Taken[], what: "ms" | "cpuMs") => median(taken.map((one) => one[what]));
  const ratio = of(plain!, "ms") / of(archived!, "ms");
  const rate = GIB / MIB / (of(archived!, "ms") / 1000);
  const what = `1 GiB in ${files} files`;
  console.log(
    `${what}: plain ${of(plain!, "ms").toFixed(0)} ms (processor ${of(plain!, "cpuMs")} ms), ZIP ${of(archived!, "ms").toFixed(0)} ms (processor ${of(archived!, "cpuMs")} ms)`,
  );
  tell(`${what} as ZIP against plain`, ratio.toFixed(2), ratio >= 0.9, "≥ 0.90");
  tell("its rate", `${rate.toFixed(0)} MiB/s`, rate >= 400, "≥ 400 MiB/s");
  tell("memory it took", `${growth.toFixed(0)} MB`, growth <= 32, "≤ 32 MB");
  await server.client.call("DELETE", `/folders/${id}`);
}

async function benchFirst(): Promise<void> {
  const id = await server.client.folder("first");
  await fillFolder(server, id, 10_000);
  const times: number[] = [];
  for (let round = 0; round < 15; round++) times.push((await take(`/folders/${id}/archive`)).firstMs);
  const first = median(times.slice(3));
  tell("first byte of 10,000 files", `${first.toFixed(1)} ms`, first <= 50, "≤ 50 ms");
}

async function benchMany(): Promise<void> {
  const id = await server.client.folder("many");
  await fillFolder(server, id, 100_000);
  await take(`/folders/${id}/archive`);
  const taken: Taken[] = [];
  const growth = await growthDuring(server.pid, async () => {
    for (let round = 0; round < 2; round++) taken.push(await take(`/folders/${id}/archive`));
  });
  const { ms, firstMs } = taken.at(-1)!;
  console.log(`100,000 files: first byte ${firstMs.toFixed(0)} ms, all ${(ms / 1000).toFixed(1)} s`);
  tell("memory they took", `${growth.toFixed(0)} MB`, growth <= 32, "≤ 32 MB");
}

async function benchHuge(): Promise<void> {
  await zipOfZeros(10, GIB, folder);
  const { ms, growthMb } = await zipOfZeros(100, GIB, folder);
  const rate = (100 * GIB) / MIB / (ms / 1000);
  console.log(`100 GiB, made here and thrown away: ${rate.toFixed(0)} MiB/s`);
  tell("memory it took", `${growthMb.toFixed(0)} MB`, growthMb <= 16, "≤ 16 MB");
}

try {
  if (isAsked("bytes")) await benchBytes(16);
  if (isAsked("bytes")) await benchBytes(1_024);
  if (isAsked("first")) await benchFirst();
  if (isAsked("many")) await benchMany();
  if (isAsked("huge")) await benchHuge();
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
