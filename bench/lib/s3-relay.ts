/**
 * Files of an S3 policy relayed by Waymark, beside the same bytes moved by the runtime's S3 client alone. Both are
 * warm, rounds alternate, and medians count. The S3 endpoint and the client of the relay share the cores. Where the
 * client alone already keeps them busy, each further hop adds time by the clock; so processor time is reported for
 * both.
 */
import { join } from "node:path";
import type { S3Client } from "bun";
import { type DriveServer, median, run } from "./drive-server.ts";
import { processSeconds } from "./machine.ts";
import { bucketOf, s3Settings } from "./s3-bucket.ts";

export type Spent = { ms: number; cpuMs: number };
export type Pairs = { alone: Spent; relayed: Spent };

const DOWNLOADS = 9;
const UPLOADS = 5;

/** Null without an S3 endpoint. One file is downloaded repeatedly, another is uploaded. */
export async function measureRelay(
  server: DriveServer,
  toDownload: string,
  toUpload: string,
): Promise<{ download: Pairs; upload: Pairs } | null> {
  const prefix = `bench-${crypto.randomUUID()}`;
  if (s3Settings(process.env) === null) return null;
  const bucket = bucketOf(process.env);
  const relay = await openRelay(server, prefix);
  const alone = startAlone();
  try {
    const upload = await pairs(UPLOADS, {
      async alone() {
        const spent = await alone.ask(`put ${prefix}-alone ${toUpload}`);
        await bucket.delete(`${prefix}-alone`);
        return spent;
      },
      async relayed() {
        const { id, spent } = await relay.upload(toUpload);
        await relay.remove(id);
        return spent;
      },
    });
    const { id } = await relay.upload(toDownload);
    const key = await largestOf(bucket, `${prefix}/`);
    const download = await pairs(DOWNLOADS, {
      alone: () => alone.ask(`get ${key}`),
      relayed: () => relay.download(id),
    });
    await relay.remove(id);
    return { download, upload };
  } finally {
    alone.stop();
  }
}

/** A folder whose files are stored in S3. */
async function openRelay({ client, url, pid }: DriveServer, prefix: string) {
  const { endpoint, bucket, accessKey: access_key, secretKey: secret_key } = s3Settings(process.env)!;
  const location = { driver_type: "s3", endpoint, bucket, access_key, secret_key, base_path: prefix };
  const made = await client.call("POST", "/admin/policies", { name: prefix, ...location, download: "relay" });
  const folder = await client.folder(prefix);
  await client.call("PATCH", `/folders/${folder}`, { policy_id: made.body.data.id });
  const target = `${url}/files/upload?folder_id=${folder}`;
  const sender = [process.execPath, join(import.meta.dir, "send-form.ts"), target, client.token];
  const fetching = ["curl", "-sS", "-f", "-o", "/dev/null", "-w", "%{time_total}"];
  const signedIn = ["-H", `Authorization: Bearer ${client.token}`];
  return {
    async upload(path: string): Promise<{ id: number; spent: Spent }> {
      const before = cpuMs(pid);
      const { ms, answer } = JSON.parse(await run([...sender, path, "relayed"]));
      return { id: answer.data.id, spent: { ms, cpuMs: cpuMs(pid) - before } };
    },
    async download(id: number): Promise<Spent> {
      const before = cpuMs(pid);
      const seconds = await run([...fetching, ...signedIn, `${url}/files/${id}/download`]);
      return { ms: Number(seconds) * 1_000, cpuMs: cpuMs(pid) - before };
    },
    remove: (id: number) => client.call("DELETE", `/files/${id}`),
  };
}

const cpuMs = (pid: number): number => processSeconds(pid) * 1_000;

function startAlone() {
  const command = [process.execPath, join(import.meta.dir, "s3-alone.ts")];
  const child = Bun.spawn(command, { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  const reader = child.stdout.getReader();
  return {
    async ask(line: string): Promise<Spent> {
      child.stdin.write(`${line}\n`);
      await child.stdin.flush();
      let text = "";
      while (!text.endsWith("\n")) {
        const { done, value } = await reader.read();
        if (done) throw new Error(`The client alone ended at: ${line}`);
        text += Buffer.from(value).toString();
      }
      return JSON.parse(text);
    },
    stop: () => child.kill(),
  };
}

async function largestOf(bucket: S3Client, prefix: string): Promise<string> {
  const { contents = [] } = await bucket.list({ prefix });
  return contents.toSorted((a, b) => (b.size ?? 0) - (a.size ?? 0))[0]!.key;
}

type Sides = { alone(): Promise<Spent>; relayed(): Promise<Spent> };

async function pairs(rounds: number, sides: Sides): Promise<Pairs> {
  const alone: Spent[] = [];
  const relayed: Spent[] = [];
  for (let round = 0; round <= rounds; round++) {
    const one = await sides.alone();
    const other = await sides.relayed();
    // The first round is warm-up.
    if (round > 0) alone.push(one);
    if (round > 0) relayed.push(other);
  }
  return { alone: medians(alone), relayed: medians(relayed) };
}

const medians = (all: readonly Spent[]): Spent => ({
  ms: median(all.map(({ ms }) => ms)),
  cpuMs: median(all.map(({ cpuMs: one }) => one)),
});
