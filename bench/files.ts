/**
 * Files: large and small uploads, downloads, memory, and a folder of 100,000 entries, each beside its goal.
 *
 *     bin/bun bench/files.ts [download] [upload] [many] [small] [folder] [relay]
 *     bin/bun bench/files.ts peak
 *     taskset -c 0 bin/bun bench/files.ts pairs [/folder/of/another/version]
 *
 * The client runs on the same machine and takes its share. Rounds of the compared subjects alternate, and medians
 * count. nginx, the raw writer and the plain S3 client run in the same minute on the same disk. The relay needs `eval
 * "$(scripts/services env)"`, whose S3 endpoint keeps deleted objects in memory for two hours.
 */
import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DriveServer, growthDuring, median, run, startDriveServer, timed } from "./lib/drive-server.ts";
import { fillFolder } from "./lib/fill-folder.ts";
import { startNginx } from "./lib/nginx.ts";
import { measureRelay, type Pairs } from "./lib/s3-relay.ts";
import { compareUploads } from "./lib/upload-pairs.ts";
import { measurePeaks } from "./lib/upload-peak.ts";

const GIB = 2 ** 30;
const ROUNDS = 5;
const asked = new Set(process.argv.slice(2));
const isAsked = (name: string): boolean => asked.size === 0 || asked.has(name);

const folder = mkdtempSync(join(tmpdir(), "waymark-bench-files-"));
const server = await startDriveServer();

function makeFile(name: string, bytes: number): string {
  const path = join(folder, name);
  const file = openSync(path, "w");
  const block = crypto.getRandomValues(new Uint8Array(1 << 16));
  for (let at = 0; at < bytes; at += block.length) {
    block.set(new Uint8Array(new Float64Array([at, Math.random()]).buffer));
    writeSync(file, block);
  }
  closeSync(file);
  return path;
}

async function warmUp(): Promise<void> {
  for (let i = 0; i < 20; i++) await server.client.upload(`warm ${i}`, `${i}`);
  await Bun.sleep(1_000);
}

function tell(what: string, value: string, isMet: boolean, goal: string): void {
  console.log(`${what.padEnd(52)}${value.padStart(14)}   goal ${goal}${isMet ? "" : "   MISSED"}`);
}

const mbPerSecond = (bytes: number, ms: number): string => `${(bytes / ms / 1_000).toFixed(0)} MB/s`;

const curl = (): string[] => ["curl", "-sS", "-f", "-H", `Authorization: Bearer ${server.client.token}`];

async function upload(path: string, name: string): Promise<number> {
  const out = join(folder, `answer-${crypto.randomUUID()}`);
  const form = `file=@${path};filename=${name}`;
  await run([...curl(), "-o", out, "-F", form, `${server.url}/files/upload`]);
  return (await Bun.file(out).json()).data.id;
}

async function benchDownload({ client, url, dataDir, pid }: DriveServer, large: string): Promise<void> {
  const id = await upload(large, "download");
  const stored = join(dataDir, "files");
  const { sha256 } = (await client.call("GET", `/files/${id}`)).body.data;
  const key = readdirSync(stored, { recursive: true, encoding: "utf8" }).find((name) =>
    name.includes(sha256),
  )!;
  const nginx = await startNginx(stored, folder);
  const fetchFrom = (address: string) => run([...curl(), "-o", "/dev/null", address]);
  const ours: number[] = [];
  const theirs: number[] = [];
  const growth = await growthDuring(pid, async () => {
    for (let round = 0; round <= ROUNDS; round++) {
      const theirMs = await timed(() => fetchFrom(`http://127.0.0.1:${nginx.port}/${key}`));
      const ourMs = await timed(() => fetchFrom(`${url}/files/${id}/download`));
      // The first round is warm-up.
      if (round > 0) theirs.push(theirMs);
      if (round > 0) ours.push(ourMs);
    }
  });
  nginx.stop();
  const ratio = median(theirs) / median(ours);
  console.log(`nginx ${mbPerSecond(GIB, median(theirs))}, Waymark ${mbPerSecond(GIB, median(ours))}`);
  tell("download of 1 GiB against nginx", ratio.toFixed(2), ratio >= 0.95, "≥ 0.95");
  tell("memory it took", `${growth.toFixed(0)} MB`, growth <= 16, "≤ 16 MB");
  await client.call("DELETE", `/files/${id}`);
}

async function benchUpload({ client, url, pid }: DriveServer, large: string): Promise<void> {
  const raw: number[] = [];
  const ours: number[] = [];
  let growth = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    const copy = join(folder, "copy");
    const rawMs = Number(
      await run([process.execPath, join(import.meta.dir, "lib", "write-raw.ts"), large, copy]),
    );
    rmSync(copy);
    let id = 0;
    const grown = await growthDuring(pid, async () => {
      const sender = [process.execPath, join(import.meta.dir, "lib", "send-form.ts")];
      const sent = await run([...sender, `${url}/files/upload`, client.token, large, `upload-${round}`]);
      const { ms, answer } = JSON.parse(sent);
      id = answer.data.id;
      if (round > 0) ours.push(ms);
    });
    if (round > 0) raw.push(rawMs);
    growth = Math.max(growth, grown);
    await client.call("DELETE", `/files/${id}`);
  }
  const ratio = median(raw) / median(ours);
  console.log(`written raw ${mbPerSecond(GIB, median(raw))}, uploaded ${mbPerSecond(GIB, median(ours))}`);
  tell("upload of 1 GiB against writing raw with fsync", ratio.toFixed(2), ratio >= 0.8, "≥ 0.80");
  tell("memory it took", `${growth.toFixed(0)} MB`, growth <= 64, "≤ 64 MB");
}

async function benchMany({ client, pid }: DriveServer): Promise<void> {
  const bytes = 100 * 2 ** 20;
  const files = Array.from({ length: 20 }, (_, i) => makeFile(`many-${i}`, bytes));
  const ids: number[] = [];
  let ms = 0;
  const growth = await growthDuring(pid, async () => {
    ms = await timed(async () => {
      ids.push(...(await Promise.all(files.map((path, i) => upload(path, `many-${i}`)))));
    });
  });
  console.log(`20 uploads of 100 MiB at once: ${mbPerSecond(20 * bytes, ms)}`);
  tell("memory they took", `${growth.toFixed(0)} MB`, growth <= 64, "≤ 64 MB");
  for (const path of files) rmSync(path);
  for (const id of ids) await client.call("DELETE", `/files/${id}`);
}

async function benchRelay(drive: DriveServer): Promise<void> {
  const sizes = { download: GIB / 4, upload: GIB / 16 };
  const measured = await measureRelay(drive, makeFile("down", sizes.download), makeFile("up", sizes.upload));
  if (measured === null) return console.log('no S3 endpoint: eval "$(scripts/services env)"');
  const show = (what: keyof typeof sizes, { alone, relayed }: Pairs): void => {
    const bytes = sizes[what];
    const ratio = alone.ms / relayed.ms;
    const [own, other] = [relayed, alone].map(({ cpuMs }) => `${((cpuMs / bytes) * GIB).toFixed(0)} ms`);
    console.log(
      `S3 client alone ${mbPerSecond(bytes, alone.ms)}, through Waymark ${mbPerSecond(bytes, relayed.ms)}`,
    );
    tell(`${what} through Waymark against the S3 client alone`, ratio.toFixed(2), ratio >= 0.9, "≥ 0.90");
    console.log(`processor time for 1 GiB: Waymark ${own}, the client alone ${other}`);
  };
  show("download", measured.download);
  show("upload", measured.upload);
}

async function benchSmall({ client, url }: DriveServer): Promise<void> {
  const wrk = ["wrk", "-t1", "-c16", "-d5s", "-s", join(import.meta.dir, "lib", "uploads.lua"), url];
  const rates: number[] = [];
  for (let round = 0; round < 3; round++) {
    const text = await run(wrk, { TOKEN: client.token, RUN: `run${round}` });
    const result = JSON.parse(/^RESULT (.*)$/m.exec(text)![1]!);
    rates.push(result.requests / (result.microseconds / 1e6));
    if (result.errors > 0) console.log(`${result.errors} uploads failed`);
    console.log(`p50 ${(result.p50 / 1000).toFixed(1)} ms, p99 ${(result.p99 / 1000).toFixed(1)} ms`);
  }
  const rate = median(rates);
  tell("durable uploads of 4 KiB over 16 connections", `${rate.toFixed(0)}/s`, rate >= 550, "≥ 550/s");
}

/** One core for the server: the bench has it by taskset, and the clients the other one. */
async function benchPairs(others: readonly string[]): Promise<void> {
  const trees = [join(import.meta.dir, ".."), ...others];
  const { sides, rawMibPerSecond } = await compareUploads(trees, makeFile("pair", GIB / 4));
  console.log(`written raw ${rawMibPerSecond.toFixed(0)} MiB/s`);
  for (const { tree, small, large, peakMib } of sides) {
    const isOurs = tree === trees[0];
    console.log(
      `${tree}: ${small.cpuMs.toFixed(2)} ms a small upload, ${large.cpuMs.toFixed(0)} ms for 256 MiB`,
    );
    const [few, much] = [small.perSecond, large.mibPerSecond];
    tell("uploads of 4 KiB over 16 connections", `${few.toFixed(0)}/s`, !isOurs || few >= 550, "≥ 550/s");
    tell("upload of 256 MiB", `${much.toFixed(0)} MiB/s`, !isOurs || much >= 335, "≥ 335 MiB/s");
    tell("peak of the server", `${peakMib.toFixed(0)} MB`, !isOurs || peakMib <= 150, "≤ 150 MB");
  }
}

/** The second largest of ten counts. */
async function benchPeak(): Promise<void> {
  for (const { what, peaks } of await measurePeaks(makeFile("peak", GIB / 4), 10)) {
    tell(what, `${peaks[8]!.toFixed(0)} MB`, peaks[8]! <= 150, "≤ 150 MB");
  }
}

async function benchFolder({ client }: DriveServer): Promise<void> {
  const entries = 100_000;
  const id = await client.folder("large");
  await fillFolder(server, id, entries);
  const first: number[] = [];
  for (let i = 0; i < 300; i++) {
    first.push(await timed(async () => (await client.send(`/folders/${id}?limit=1000`)).arrayBuffer()));
  }
  const p99 = first.toSorted((a, b) => a - b)[Math.ceil(first.length * 0.99) - 1]!;
  tell("first 1,000 of 100,000 entries, p99", `${p99.toFixed(1)} ms`, p99 <= 20, "≤ 20 ms");
  const whole: number[] = [];
  const waits: number[] = [];
  for (let round = 0; round < 5; round++) {
    let isOver = false;
    const others = (async () => {
      while (!isOver) waits.push(await timed(async () => (await client.send("/nothing-here")).arrayBuffer()));
    })();
    let listing = new ArrayBuffer();
    whole.push(
      await timed(async () => (listing = await (await client.send(`/folders/${id}`)).arrayBuffer())),
    );
    isOver = true;
    await others;
    const { files } = JSON.parse(Buffer.from(listing).toString()).data;
    if (files.length !== entries) throw new Error(`${files.length} files were listed`);
  }
  tell("all of them, median", `${median(whole).toFixed(0)} ms`, median(whole) <= 1_000, "≤ 1,000 ms");
  waits.sort((a, b) => a - b);
  console.log(
    `redirects meanwhile: p50 ${median(waits).toFixed(1)} ms, p99 ${waits[Math.floor(waits.length * 0.99)]!.toFixed(1)} ms`,
  );
  const ms = await timed(() => client.call("DELETE", `/folders/${id}`));
  console.log(`deleting them took ${(ms / 1000).toFixed(1)} s`);
}

try {
  const large = isAsked("download") || isAsked("upload") ? makeFile("large", GIB) : "";
  await warmUp();
  if (isAsked("download")) await benchDownload(server, large);
  if (isAsked("upload")) await benchUpload(server, large);
  if (isAsked("many")) await benchMany(server);
  if (isAsked("relay")) await benchRelay(server);
  if (asked.has("pairs")) await benchPairs([...asked].filter((word) => word.startsWith("/")));
  if (asked.has("peak")) await benchPeak();
  if (isAsked("small")) await benchSmall(server);
  if (isAsked("folder")) await benchFolder(server);
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
