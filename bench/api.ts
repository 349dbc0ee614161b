/**
 * The rates of the API on one core, as shares of the rate of a bare handler in the same run:
 *
 *     bin/bun bench/api.ts [--database sqlite|postgres|mysql|mariadb] [--against FOLDER] [--only PART,PART]
 *                          [--rounds 3] [--seconds 4] [--warm 15]
 *
 * The bare handler is a `Bun.serve` with a Map (lib/bare-server.ts). The server has one core, wrk the other; a database
 * server runs wherever the kernel puts it. A round asks for everything in turn, so that other load on the machine hits
 * all of it. Shares are taken within a round; the median is reported. `against` measures another checkout, with its
 * packages, in the same rounds. `warm` seconds of each request come first: the compilers take half of the processor in
 * the first seconds. `only` chooses by parts of names. `ms` is processor time of a request, all threads; `p99`
 * is in milliseconds. 32 connections read, 16 write. Needs two cores and wrk (Debian: apt-get install wrk).
 */
import { Database as SQLite } from "bun:sqlite";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { driveClient } from "../test/support/drive.ts";
import { signIn } from "../test/support/session.ts";
import { PASSWORD, setPassword } from "./lib/csv-client.ts";
import { codeAt, targetAt } from "./lib/data-folder.ts";
import { type LoadResult, requireTools, runLoad, runWrk } from "./lib/load.ts";
import { processMs } from "./lib/machine.ts";
import { createServerDatabase, type Server } from "./lib/server-database.ts";
import type { Subject } from "./lib/subject.ts";
import { startBare, startWaymark } from "./lib/subjects.ts";

const { values } = parseArgs({
  options: {
    database: { type: "string", default: "sqlite" },
    against: { type: "string" },
    only: { type: "string", default: "" },
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "4" },
    warm: { type: "string", default: "15" },
  },
});
const ROUNDS = Number(values.rounds);
const SECONDS = Number(values.seconds);
const WARM_SECONDS = Number(values.warm);
const DATABASE = values.database as "sqlite" | Server;
/** Shares on a server where it has a core of its own. */
const SERVER_SHARE = DATABASE === "sqlite" ? 1 : 0.5;
const LINKS = 100_000;
const READERS = 32;
const WRITERS = 16;

type Request = {
  name: string;
  method?: string;
  path: string;
  body?: string;
  /** Bytes for `{fill}` in the body. */
  fill?: number;
  type?: string;
  accept?: string;
  isPublic?: boolean;
  /** The least share of the bare handler's rate, on SQLite. */
  goal?: number;
};

type Side = {
  checkout: string;
  path: string;
  subject: Subject;
  token: string;
  requests: Request[];
  /** The number of the next request that names something new. */
  next: number;
  remove(): Promise<void>;
};
type Sample = { share: number; perSecond: number; p99: number; ms: number };

const here = resolve(import.meta.dir, "..");

async function makeLinks(path: string, checkout: string, environment: Record<string, string>): Promise<void> {
  const file = join(path, "links.csv");
  const rows = Array.from({ length: LINKS }, (_, at) => `${codeAt(at)},${targetAt(at)}`);
  writeFileSync(file, `code,target\n${rows.join("\n")}\n`);
  const child = Bun.spawn([join(checkout, "bin", "waymark"), "links", "import", file], {
    env: { ...process.env, WAYMARK__DATA__DIR: path, ...environment },
    stdout: "ignore",
    stderr: "inherit",
  });
  if ((await child.exited) !== 0) throw new Error("the links were not imported");
}

async function startSide(checkout: string): Promise<Side> {
  const path = mkdtempSync(join(tmpdir(), "waymark-bench-api-"));
  const database = DATABASE === "sqlite" ? null : await createServerDatabase(DATABASE);
  if (DATABASE !== "sqlite" && database === null) process.exit(1);
  const environment: Record<string, string> = database ? { WAYMARK__DATABASE__URL: database.url } : {};
  await makeLinks(path, checkout, environment);
  await setPassword(path, environment, checkout);
  const subject = await startWaymark({ path }, environment, checkout);
  const remove = async () => {
    await subject.stop();
    await database?.drop();
    rmSync(path, { recursive: true, force: true });
  };
  try {
    const { token } = await signIn(`http://127.0.0.1:${subject.port}`, PASSWORD);
    const requests = await prepareRequests(`http://127.0.0.1:${subject.port}`, token);
    return { checkout, path, subject, token, requests, next: 0, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Resolves when the server has indexed the texts of all links, which takes half of its time. Servers index at once. */
async function searchIndexed(path: string): Promise<void> {
  if (DATABASE !== "sqlite") return;
  const database = new SQLite(join(path, "waymark.db"), { readonly: true });
  const due = database.query("select 1 from link_texts_due limit 1");
  while (due.get() !== null) await Bun.sleep(500);
  database.close();
}

/** Makes the file, the share and the drop box that are asked for. */
async function prepareRequests(url: string, token: string): Promise<Request[]> {
  const client = driveClient(url, token);
  const { id } = (await client.upload("4 KiB.bin", new Uint8Array(4096).fill(120))).body.data;
  const share = (await client.call("POST", `/files/${id}/share`, {})).body.data;
  const folder = await client.folder("inbox");
  const drop = (await client.call("POST", `/folders/${folder}/drop`, { max_bytes: 1e9, max_files: 1_000 }))
    .body.data;
  const links = "/admin/v1/links";
  const run = Date.now().toString(36);
  const upload = (bytes: number) => ({
    method: "POST",
    path: "/files/upload",
    type: "multipart/form-data; boundary=bench",
    body:
      `--bench\r\nContent-Disposition: form-data; name="file"; filename="${bytes}-{n}"\r\n` +
      `Content-Type: application/octet-stream\r\n\r\n{n}{fill}\r\n--bench--\r\n`,
    fill: bytes - 6,
  });
  const page = { isPublic: true, accept: "text/html" };
  const all: Request[] = [
    { name: "GET a link", path: `${links}/c{r}`, goal: 0.12 },
    { name: "list of 20 links", path: `${links}?page_size=20`, goal: 0.09 },
    {
      name: "POST a link",
      method: "POST",
      path: links,
      body: `{"code":"${run}-{n}","target":"https://www.example.com/new/{n}"}`,
      goal: 0.045,
    },
    {
      name: "PATCH a link",
      method: "PATCH",
      path: `${links}/c{r}`,
      body: `{"target":"https://www.example.com/changed/{n}"}`,
    },
    { name: "DELETE a link", method: "DELETE", path: `${links}/c{n}` },
    { name: "auth/me", path: "/admin/v1/auth/me", goal: 0.08 },
    { name: "file information", path: `/files/${id}`, goal: 0.06 },
    { name: "download of 4 KiB", path: `/files/${id}/download`, goal: 0.05 },
    { name: "preview page of a link (+)", path: `/c{r}+`, ...page },
    { name: "page of a share", path: new URL(share.url).pathname, ...page },
    { name: "page of a drop box", path: new URL(drop.url).pathname, ...page },
    { name: "upload of 4 KiB", ...upload(4096) },
    { name: "upload of 1 MiB", ...upload(1024 * 1024) },
  ];
  const wanted = values.only.split(",");
  return all.filter(({ name }) => wanted.some((part) => name.includes(part)));
}

const isWriting = ({ method = "GET" }: Request): boolean => method !== "GET";

async function ask(side: Side, request: Request, bare: number, seconds: number): Promise<Sample> {
  const { subject } = side;
  const {
    name,
    method = "GET",
    path,
    body,
    fill,
    type = "application/json",
    accept = "application/json",
  } = request;
  subject.resume();
  const before = processMs(subject.pid);
  const load: LoadResult = await runWrk(
    "requests.lua",
    { port: subject.port, seconds, connections: isWriting(request) ? WRITERS : READERS },
    {
      METHOD: method,
      TARGET: path,
      TYPE: type,
      ACCEPT: accept,
      COUNT: String(LINKS),
      FIRST: String(side.next),
      ...(body !== undefined && { BODY: body }),
      ...(fill !== undefined && { FILL: String(fill) }),
      ...(!request.isPublic && { TOKEN: side.token }),
    },
  );
  const ms = (processMs(subject.pid) - before) / load.requests;
  subject.pause();
  if (body !== undefined || method === "DELETE") side.next += load.requests + 100;
  // A random link may be a deleted one.
  if (load.errorStatus + load.socketErrors > load.requests / 2)
    throw new Error(`${name}: ${load.errorStatus} of ${load.requests} answers were errors`);
  return { share: load.perSecond / bare, perSecond: load.perSecond, p99: load.p99, ms };
}

const median = (list: readonly number[]): number => list.toSorted((a, b) => a - b)[list.length >> 1]!;
const cell = (value: number, digits: number): string => value.toFixed(digits).padStart(10);

function report(sides: readonly Side[], samples: ReadonlyMap<Side, Map<string, Sample[]>>): void {
  for (const side of sides) {
    console.log(`\n${side.checkout}, ${DATABASE}`);
    console.log(
      `${"".padEnd(30)}${["share", "goal", "a second", "p99 ms", "cpu ms"].map((t) => t.padStart(10)).join("")}`,
    );
    for (const { name, goal } of side.requests) {
      const found = samples.get(side)!.get(name)!;
      const of = (key: keyof Sample) => median(found.map((sample) => sample[key]));
      const shownGoal = goal === undefined ? "".padStart(10) : cell(goal * SERVER_SHARE, 4);
      console.log(
        `${name.padEnd(30)}${cell(of("share"), 4)}${shownGoal}${cell(of("perSecond"), 0)}${cell(of("p99"), 2)}${cell(of("ms"), 3)}`,
      );
    }
  }
  const [own, base] = sides;
  if (own === undefined || base === undefined) return;
  console.log(`\n${own.checkout} : ${base.checkout}, rates`);
  for (const { name } of own.requests) {
    const [mine, theirs] = [own, base].map((side) => samples.get(side)!.get(name)!);
    const ratios = mine!.map((sample, at) => sample.share / theirs![at]!.share);
    console.log(`${name.padEnd(30)}${cell(median(ratios), 2)}`);
  }
}

requireTools();
const sides: Side[] = [];
const bare = await startBare(LINKS);
try {
  for (const checkout of [here, ...(values.against === undefined ? [] : [resolve(values.against)])])
    sides.push(await startSide(checkout));
  await Promise.all(sides.map(({ path }) => searchIndexed(path)));
  await Bun.sleep(2_000);
  for (const { subject } of [...sides, { subject: bare }]) subject.pause();
  const samples = new Map(sides.map((side) => [side, new Map<string, Sample[]>()]));
  for (let round = 0; round <= ROUNDS; round++) {
    bare.resume();
    const { perSecond } = await runLoad({ port: bare.port, prefix: "c", count: LINKS, seconds: SECONDS });
    bare.pause();
    for (const at of sides[0]!.requests.keys()) {
      for (const side of sides) {
        const request = side.requests[at]!;
        const sample = await ask(side, request, perSecond, round === 0 ? WARM_SECONDS : SECONDS);
        if (round === 0) continue;
        const found = samples.get(side)!;
        found.set(request.name, [...(found.get(request.name) ?? []), sample]);
      }
    }
  }
  report(sides, samples);
} finally {
  await Promise.all([bare.stop(), ...sides.map((side) => side.remove())]);
}
