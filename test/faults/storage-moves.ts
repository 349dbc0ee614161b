/**
 * Moves a storage while two nodes send whole files and ranges, take uploads and versions, copy and delete. Nodes are
 * killed, the S3 endpoint dies, one object is damaged and one missing.
 *
 *     bin/bun test/faults/storage-moves.ts [--rounds 10] [--database postgres] [--files 20000] [--mib 2048]
 *                                          [--from local] [--to s3]
 *
 * A round is a kill. Without WAYMARK_TEST_S3_URL a stub stands in.
 */
import { mkdtempSync, readdirSync, realpathSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { DIALECT_NAMES, type DialectName } from "../../src/platform/db/fresh.test-support.ts";
import { createMigrated } from "../../src/platform/db/schema-copy.test-support.ts";
import { startS3Stub } from "../../src/files/storage/s3/stub.test-support.ts";
import { startProxyTo } from "../../src/lib/tcp-proxy.test-support.ts";
import { type DriveClient, driveClient } from "../support/drive.ts";
import { PASSWORD, signIn } from "../support/session.ts";
import type { StorageName } from "../support/storages.ts";
import { soon, until } from "../support/until.ts";
import type { Fault } from "./row.ts";
import { install, type Installation, type RunningWaymark } from "../support/waymark.ts";

export type MoveLoad = {
  database: DialectName;
  files: number;
  bytes: number;
  from: StorageName;
  to: StorageName;
  /** Of nodes, while the content moves. */
  kills: number;
  /** Bytes a second, so that the move lasts. */
  rate: number;
  say?: (line: string) => void;
};

export type MovedUnderLoad = {
  downloads: number;
  ranges: number;
  uploads: number;
  deletions: number;
  copies: number;
  versions: number;
  objects: number;
  listed: number;
  kills: number;
  outages: number;
  seconds: number;
  /** A line for each failed or wrong download, and for what is not there at the end. */
  lost: string[];
};

type Known = { id: number; sha256: string; bytes: Uint8Array };
type Node = { installation: Installation; server: RunningWaymark | null; me: DriveClient | null };

const SEED = new Uint8Array(1 << 22);
crypto.getRandomValues(SEED.subarray(0, 65_536));
for (let at = 65_536; at < SEED.length; at += 65_536) SEED.copyWithin(at, at - 65_536 + 1, at);
const sha256 = (bytes: Uint8Array): string => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!;

let made = 0;
/** Bytes that no other file has. */
function newBytes(size: number): Uint8Array<ArrayBuffer> {
  const bytes = SEED.slice(made % 60_000, (made % 60_000) + Math.max(8, size));
  new DataView(bytes.buffer).setFloat64(0, ++made);
  return bytes;
}

export async function moveUnderLoad(load: MoveLoad): Promise<MovedUnderLoad> {
  const { database, say = () => {} } = load;
  const fresh = await createMigrated(database);
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "waymark-moves-")));
  const real = process.env["WAYMARK_TEST_S3_URL"];
  const stub = real === undefined ? await startS3Stub() : null;
  const endpoint = real ?? `http://127.0.0.1:${stub?.port}`;
  const gateway = await startProxyTo(endpoint);
  const settings = { WAYMARK__DATABASE__URL: fresh.url, WAYMARK__STORAGE__LOCAL_ROOTS: folder };
  const secret = { WAYMARK__STORAGE__SECRET_KEY: Buffer.from(SEED.subarray(0, 32)).toString("hex") };
  const nodes: Node[] = [0, 1].map(() => ({
    installation: install({ ...settings, ...secret }),
    server: null,
    me: null,
  }));
  const numbers: MovedUnderLoad = {
    downloads: 0,
    ranges: 0,
    uploads: 0,
    deletions: 0,
    copies: 0,
    versions: 0,
    objects: 0,
    listed: 0,
    kills: 0,
    outages: 0,
    seconds: 0,
    lost: [],
  };

  async function begin(node: Node): Promise<void> {
    node.server = await node.installation.serve();
    const { url } = node.server;
    // On a busy machine the database may be late.
    await soon(async () => void (node.me = driveClient(url, (await signIn(url)).token)));
  }
  const up = (): DriveClient[] => nodes.flatMap(({ me }) => me ?? []);
  /** Like a load balancer: a node that was killed meanwhile did not answer. */
  async function send(
    path: string,
    requested: RequestInit = {},
  ): Promise<{ status: number; bytes: Uint8Array }> {
    for (let tries = 0; ; tries++) {
      try {
        const answer = await pick(up()).send(path, requested);
        return { status: answer.status, bytes: await answer.bytes() };
      } catch (error) {
        if (tries === 100) throw error;
        await Bun.sleep(50);
      }
    }
  }
  const json = async (method: string, path: string, body?: unknown) => {
    const { status, bytes } = await send(path, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status, ...JSON.parse(Buffer.from(bytes).toString() || "{}") };
  };
  const form = (bytes: Uint8Array<ArrayBuffer>): FormData => {
    const body = new FormData();
    body.append("file", new File([bytes], crypto.randomUUID()));
    return body;
  };
  const policy = async (name: string, kind: StorageName): Promise<number> => {
    const s3 = {
      endpoint: gateway.through(endpoint),
      bucket: process.env["WAYMARK_TEST_S3_BUCKET"] ?? "bucket",
      access_key: process.env["WAYMARK_TEST_S3_ACCESS_KEY"] ?? "key",
      secret_key: process.env["WAYMARK_TEST_S3_SECRET_KEY"] ?? "secret",
      base_path: `moves-${crypto.randomUUID()}`,
    };
    const place = kind === "local" ? { base_path: join(folder, name) } : s3;
    const { status, data } = await json("POST", "/admin/policies", { name, driver_type: kind, ...place });
    if (status !== 201) throw new Error(`POST /admin/policies answered ${status}`);
    return data.id;
  };

  try {
    await nodes[0]!.installation.cli(["reset-password", "--stdin"], PASSWORD);
    // Sessions last for the whole run.
    await nodes[0]!.installation.cli(["config", "set", "api.access_token_minutes", "1440"]);
    for (const node of nodes) await begin(node);
    const [from, to] = [await policy("old", load.from), await policy("new", load.to)];
    const inside = (await json("POST", "/folders", { name: "moved", parent_id: null })).data.id;
    await json("PATCH", `/folders/${inside}`, { policy_id: from });
    const known: Known[] = [];
    const upload = async (bytes: Uint8Array<ArrayBuffer>): Promise<Known | null> => {
      const { status, bytes: answer } = await send(`/files/upload?folder_id=${inside}`, {
        method: "POST",
        body: form(bytes),
      });
      if (status !== 201) return null;
      return { id: JSON.parse(Buffer.from(answer).toString()).data.id, sha256: sha256(bytes), bytes };
    };
    const average = load.bytes / load.files;
    let left = load.files;
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        while (left-- > 0) {
          const file = await upload(newBytes(Math.floor(Math.random() * 2 * average)));
          if (file === null) throw new Error("an upload failed before the move");
          known.push(file);
        }
      }),
    );
    say(`${load.files} files are there`);

    const spoiled = load.from === "local" ? known.splice(0, 2) : [];
    const objects =
      load.from === "local" ? readdirSync(join(folder, "old"), { recursive: true, encoding: "utf8" }) : [];
    const pathOf = ({ sha256: hash }: Known) =>
      join(folder, "old", objects.find((path) => path.includes(hash))!);
    if (spoiled[0]) truncateSync(pathOf(spoiled[0]), 3);
    if (spoiled[1]) rmSync(pathOf(spoiled[1]));

    const begun = performance.now();
    const started = await json("POST", `/admin/policies/${from}/move`, { to, rate: load.rate });
    if (started.status !== 202) throw new Error(`the move did not start: ${started.message}`);
    numbers.objects = started.data.objects_left;
    const state = { isOver: false, isAway: false };
    const busy = new Set<number>();

    async function readSome(): Promise<void> {
      while (!state.isOver) {
        const file = pick(known);
        const isRange = Math.random() < 0.5 && file.bytes.length > 10;
        const at = isRange ? Math.floor(Math.random() * (file.bytes.length - 8)) : 0;
        const end = isRange
          ? Math.min(file.bytes.length, at + 1 + Math.floor(Math.random() * 100_000))
          : file.bytes.length;
        const headers = isRange ? { Range: `bytes=${at}-${end - 1}` } : {};
        const wasAway = state.isAway;
        const answer = await send(`/files/${file.id}/download`, { headers }).catch(() => null);
        if (busy.has(file.id) || !known.includes(file)) continue;
        // What has moved already is where the endpoint is away.
        if (wasAway || state.isAway) continue;
        numbers[isRange ? "ranges" : "downloads"]++;
        if (answer?.status !== (isRange ? 206 : 200)) numbers.lost.push(`file ${file.id}: ${answer?.status}`);
        else if (sha256(answer.bytes) !== sha256(file.bytes.subarray(at, end)))
          numbers.lost.push(`file ${file.id}: wrong bytes at ${at}`);
      }
    }
    async function writeSome(): Promise<void> {
      while (!state.isOver) {
        await Bun.sleep(20);
        if (state.isAway) continue;
        const file = await upload(newBytes(Math.floor(Math.random() * 2 * average))).catch(() => null);
        if (file === null) continue;
        known.push(file);
        numbers.uploads++;
        const copied = await json("POST", `/files/${file.id}/copy`, { name: crypto.randomUUID() }).catch(
          () => null,
        );
        if (copied?.status === 201) {
          known.push({ ...file, id: copied.data.id });
          numbers.copies++;
        }
        const old = known.find(({ id }) => !busy.has(id))!;
        busy.add(old.id);
        const body = newBytes(1_000);
        const put = await send(`/files/${old.id}/content`, { method: "PUT", body }).catch(() => null);
        if (put?.status === 200) {
          known.splice(known.indexOf(old), 1, { id: old.id, sha256: sha256(body), bytes: body });
          numbers.versions++;
        } else if (put?.status !== 404 && put?.status !== 405) known.splice(known.indexOf(old), 1);
        busy.delete(old.id);
        const gone = known.splice(Math.floor(Math.random() * known.length), 1)[0]!;
        if ((await json("DELETE", `/files/${gone.id}`).catch(() => null))?.status === 200)
          numbers.deletions++;
      }
    }
    async function disturb(): Promise<void> {
      const hasS3 = load.from === "s3" || load.to === "s3";
      for (let round = 0; round < load.kills && !state.isOver; round++) {
        await Bun.sleep(500 + Math.random() * 2_500);
        const node = nodes[round % 2]!;
        node.me = null;
        await node.server!.kill();
        numbers.kills++;
        await begin(node);
        if (!hasS3 || round % 3 !== 1) continue;
        state.isAway = true;
        gateway.sever();
        numbers.outages++;
        await Bun.sleep(3_000);
        gateway.heal();
        await Bun.sleep(1_000);
        state.isAway = false;
      }
      // The rest as fast as it goes.
      await json("POST", `/admin/policies/${from}/move`, { to, rate: 0 });
    }
    const work = [readSome(), readSome(), readSome(), readSome(), writeSome(), disturb()];
    let progress = started.data;
    let lastSaid = 0;
    await until(async () => {
      progress = (await json("GET", `/admin/policies/${from}/move`)).data;
      if (performance.now() - lastSaid > 10_000) {
        lastSaid = performance.now();
        say(
          `${progress.objects_done} moved, ${progress.objects_left} left, ${progress.trouble ?? "no trouble"}`,
        );
      }
      return progress.objects_left === 0 && numbers.kills >= load.kills;
    }, 3_600_000);
    state.isOver = true;
    await Promise.all(work);
    numbers.seconds = Math.round((performance.now() - begun) / 1000);

    progress = (await json("GET", `/admin/policies/${from}/move`)).data;
    numbers.listed = progress.failed.length;
    const listed = new Set(progress.failed.map((one: { sha256: string }) => one.sha256));
    for (const one of spoiled) if (!listed.has(one.sha256)) numbers.lost.push(`${one.sha256} is not listed`);
    if (numbers.listed !== spoiled.length) numbers.lost.push(`${numbers.listed} contents are listed`);
    for (const file of known) {
      const { status, bytes } = await send(`/files/${file.id}/download`);
      if (status !== 200 || sha256(bytes) !== file.sha256)
        numbers.lost.push(`file ${file.id} at the end: ${status}`);
    }
    const findings = await nodes[0]!.installation.cli(["doctor", "--storage", "--json"]);
    for (const { part, verdict, message } of JSON.parse(findings.stdout)) {
      const isOfSpoiled = /damaged|missing/.test(message);
      if (part === "storage" && verdict === "failure" && !isOfSpoiled) numbers.lost.push(message);
    }
    return numbers;
  } finally {
    await Promise.all(nodes.map(({ installation }) => installation.remove()));
    gateway.stop();
    stub?.close();
    rmSync(folder, { recursive: true, force: true });
    await fresh.drop();
  }
}

const row = (from: StorageName, to: StorageName): Fault => ({
  name: `a storage moves from ${from} to ${to}: kill -9 of both nodes in turn${from === to && from === "local" ? "" : ", and S3 dies"}`,
  databases: from === "local" && to === "s3" ? DIALECT_NAMES : ["sqlite"],
  rounds: 2,
  missing: () => null,
  async run({ database, rounds, say }) {
    const load = { database, files: 200, bytes: 10_000_000, rate: 500_000, from, to };
    const { lost, downloads, ranges, uploads, kills } = await moveUnderLoad({
      ...load,
      kills: 2 * rounds,
      say,
    });
    const answered = downloads + ranges + uploads;
    const none = { refused: 0, doubled: [], recoveryMs: 0, said: new Map<string, number>() };
    return [{ subject: "files", rounds: kills, answered, lost, ...none }];
  },
});

export const MOVES: readonly Fault[] = [
  row("local", "s3"),
  row("s3", "local"),
  row("local", "local"),
  row("s3", "s3"),
];

if (import.meta.main) {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    options: {
      rounds: { ...text, default: "10" },
      database: { ...text, default: "postgres" },
      files: { ...text, default: "20000" },
      mib: { ...text, default: "2048" },
      rate: { ...text, default: String(40 * 1024 * 1024) },
      from: { ...text, default: "local" },
      to: { ...text, default: "s3" },
    },
  });
  const result = await moveUnderLoad({
    database: values.database as DialectName,
    files: Number(values.files),
    bytes: Number(values.mib) * 1024 * 1024,
    from: values.from as StorageName,
    to: values.to as StorageName,
    kills: Number(values.rounds),
    rate: Number(values.rate),
    say: (line) => console.log(line),
  });
  const { lost, ...rest } = result;
  console.log(JSON.stringify({ ...rest, lost: lost.length }));
  for (const line of lost.slice(0, 50)) console.log(`lost: ${line}`);
  process.exitCode = lost.length === 0 ? 0 : 1;
}
