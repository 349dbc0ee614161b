/**
 * What one core gives: writes docs/performance.md and its charts. Ten minutes.
 *
 *     npm run bench -- [seconds of a measurement] [file of the page]
 *
 * The first core has the server with all its threads, and the commands that run beside it. The second one has the load
 * generator: wrk for the most that a server can do, then a schedule that does not wait for answers
 * (lib/open-loop.ts). Servers that are not measured are stopped. Needs two cores, wrk and nginx (Debian: apt-get install
 * wrk nginx-light), and root for the priority of the generator. On a busy machine, `echo -15 > /proc/self/autogroup` as
 * root gives the session of the shell priority over others.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { driveClient } from "../test/support/drive.ts";
import { signIn } from "../test/support/session.ts";
import { administration, type Work } from "./lib/administration.ts";
import { PASSWORD, setPassword } from "./lib/csv-client.ts";
import { createDataFolder, type DataFolder, setConfig } from "./lib/data-folder.ts";
import { requireTools, runLoad } from "./lib/load.ts";
import { busySeconds } from "./lib/machine.ts";
import { BROWSER_HEADERS, type OpenLoad, type OpenResult, runOpenLoad } from "./lib/open-loop.ts";
import { type Facts, keepsUp, type Measured, type Most, writePage } from "./lib/performance-page.ts";
import type { Subject } from "./lib/subject.ts";
import { startBare, startNginx, startWaymark } from "./lib/subjects.ts";

const SECONDS = Number(process.argv[2] ?? 6);
const PAGE = resolve(process.argv[3] ?? join(import.meta.dir, "..", "docs", "performance.md"));
const LINKS = 100_000;
const ROUNDS = 3;
const SHARES = [0.1, 0.3, 0.5, 0.7, 0.9, 1.1];

type Case = Omit<OpenLoad, "port" | "seconds" | "count">;

const startedAt = Date.now();
const folder = mkdtempSync(join(tmpdir(), "waymark-bench-page-"));
const folders: DataFolder[] = [];
const subjects: Subject[] = [];
/** Seconds that other programs and all programs had a core, while something was measured. */
const disturbance = { others: 0, seconds: 0 };

const get = (path: string, headers = "") => `GET ${path} HTTP/1.1\r\nHost: bench.example\r\n${headers}\r\n`;
const LINK = get("/{code}");

function tell(text: string): void {
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  console.log(`${String(seconds).padStart(4)} s  ${text}`);
}

async function start(subject: Promise<Subject | null>): Promise<Subject> {
  const started = await subject;
  if (started === null) throw new Error("This benchmark needs nginx: apt-get install nginx-light");
  subjects.push(started);
  return started;
}

async function newFolder(...options: Parameters<typeof createDataFolder>): Promise<DataFolder> {
  const made = await createDataFolder(...options);
  folders.push(made);
  return made;
}

/** Waymark answers while it loads its links; what is measured has loaded them. */
async function settle(subject: Subject): Promise<void> {
  for (let before = -1; subject.cpuSeconds() - before > 0.03; await Bun.sleep(500))
    before = subject.cpuSeconds();
}

async function observed<T extends { cpuSeconds: number }>(subject: Subject, work: Promise<T>): Promise<T> {
  const before = { busy: busySeconds(), own: subject.cpuSeconds(), at: performance.now() };
  const result = await work;
  disturbance.seconds += (performance.now() - before.at) / 1000;
  disturbance.others += busySeconds() - before.busy - (subject.cpuSeconds() - before.own) - result.cpuSeconds;
  return result;
}

async function measure(name: string, subject: Subject, load: Case, beside?: Work): Promise<Measured> {
  subject.resume();
  let isOver = false;
  const working = (async () => {
    while (beside !== undefined && !isOver) await beside();
  })();
  const measuring = runOpenLoad({ ...load, port: subject.port, seconds: SECONDS, count: LINKS });
  // Work beside it is no disturbance.
  const result: OpenResult = await (beside === undefined ? observed(subject, measuring) : measuring);
  isOver = true;
  await working;
  subject.pause();
  const { corrected, wrong } = result;
  if (wrong > 0) throw new Error(`${name}: ${wrong} wrong answers`);
  tell(`${name}, ${load.rate.toLocaleString("en")}/s: p99 ${corrected.p99.toFixed(2)} ms`);
  return { name, rate: load.rate, ...result };
}

async function most(cases: readonly (Omit<Most, "perSecond"> & { subject: Subject })[]): Promise<Most[]> {
  const rates = cases.map((): number[] => []);
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [at, { subject, prefix, browser }] of cases.entries()) {
      subject.resume();
      const seconds = Math.max(1, Math.round(SECONDS / 2));
      const load = { port: subject.port, prefix, count: LINKS, seconds, browser };
      const { perSecond } = await observed(subject, runLoad(load));
      subject.pause();
      // The first round warms up the compilers.
      if (round > 0) rates[at]!.push(perSecond);
    }
    tell(`the most that each server can do: round ${round} of ${ROUNDS}`);
  }
  return cases.map(({ name, prefix, browser }, at) => ({
    name,
    prefix,
    browser,
    perSecond: rates[at]!.toSorted((a, b) => a - b)[ROUNDS >> 1]!,
  }));
}

const roundRate = (rate: number): number => Number(rate.toPrecision(2));

function multipart(token: string): string {
  const name = `bench-${crypto.randomUUID()}-{n}`;
  const content = `{n}${"x".repeat(4096 - 12)}`;
  const body =
    `--bench\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n` +
    `Content-Type: application/octet-stream\r\n\r\n${content}\r\n--bench--\r\n`;
  return post("/files/upload", token, "multipart/form-data; boundary=bench", body);
}

function post(path: string, token: string, type: string, body: string): string {
  const length = body.replaceAll("{n}", "0".repeat(12)).length;
  return `POST ${path} HTTP/1.1\r\nHost: bench.example\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n${body}`;
}

async function run(): Promise<void> {
  const load = loadavg().map((one) => one.toFixed(1));
  tell(`makes ${LINKS.toLocaleString("en")} links, twice; the load of the machine is ${load[0]}`);
  const data = await newFolder(LINKS, { titled: true });
  const ruledData = await newFolder(LINKS, { ruled: true });
  await setPassword(data.path);
  const bare = await start(startBare(LINKS));
  const nginx = await start(startNginx());
  const waymark = await start(startWaymark(data));
  const ruled = await start(startWaymark(ruledData));
  for (const subject of [waymark, ruled]) await settle(subject);
  const client = await signIn(`http://127.0.0.1:${waymark.port}`, PASSWORD);
  for (const subject of subjects) subject.pause();

  const plain = { prefix: "c", browser: false };
  const mosts = await most([
    { name: "Waymark", ...plain, subject: waymark },
    { name: "bare `Bun.serve` with a Map", ...plain, subject: bare },
    { name: "nginx, `return 307`", ...plain, subject: nginx },
    { name: "Waymark, a browser's headers", prefix: "c", browser: true, subject: waymark },
    {
      name: "Waymark, links with ten rules, a browser's headers",
      prefix: "c",
      browser: true,
      subject: ruled,
    },
    { name: "Waymark, unknown codes (404)", prefix: "x", browser: false, subject: waymark },
  ]);
  const capacity = mosts[0]!.perSecond;

  const rates: Measured[][] = [];
  for (const share of SHARES) {
    const rate = roundRate(capacity * share);
    const row: Measured[] = [];
    for (const subject of [waymark, bare, nginx])
      row.push(await measure(subject.name, subject, { rate, requests: [LINK], status: 307 }));
    rates.push(row);
  }

  const held = rates.map(([one]) => one!).findLast(keepsUp) ?? rates[0]![0]!;
  const half = roundRate(held.rate / 2);
  const shared = { rate: half, status: 307 };
  const browserLink = get("/{code}", BROWSER_HEADERS);
  const kinds = [
    await measure("a link, a short request", waymark, { ...shared, requests: [LINK] }),
    await measure("a link, a browser's headers", waymark, { ...shared, requests: [browserLink] }),
    await measure("a link with ten rules", ruled, {
      rate: roundRate((half * mosts[4]!.perSecond) / capacity),
      status: 307,
      requests: [browserLink],
    }),
    await measure("an unknown code", waymark, { ...shared, status: 404, requests: [get("/x{code}")] }),
  ];

  const set = (key: string, value: string) => {
    setConfig(data, key, value);
    return Bun.sleep(2_000);
  };
  waymark.resume();
  await set("click.max_clicks_before_flush", "1000000");
  await set("click.flush_interval", "3600");
  const beside = [
    await measure("nothing; clicks wait in the journal", waymark, { ...shared, requests: [LINK] }),
  ];
  waymark.resume();
  await set("click.flush_interval", "1");
  await settle(waymark);
  beside.push(await measure("a flush of clicks each second", waymark, { ...shared, requests: [LINK] }));
  waymark.resume();
  await set("click.max_clicks_before_flush", "10000");
  await set("click.flush_interval", "5");
  for (const [name, work] of Object.entries(administration(client, data, folder))) {
    beside.push(await measure(name, waymark, { ...shared, requests: [LINK] }, work));
    waymark.resume();
    await settle(waymark);
  }

  const drive = driveClient(`http://127.0.0.1:${waymark.port}`, client.token);
  const shareOf = async (name: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> => {
    const { id } = (await drive.upload(name, bytes)).body.data;
    const { url } = (await drive.call("POST", `/files/${id}/share`, {})).body.data;
    return new URL(url).pathname;
  };
  const page = await shareOf("a report.pdf", new Uint8Array(1_000));
  const download = await shareOf("a film.mp4", crypto.getRandomValues(new Uint8Array(65_536)));
  const { token } = client;
  const api = (path: string) => get(`/admin/v1${path}`, `Authorization: Bearer ${token}\r\n`);
  const created = JSON.stringify({ code: `new-{n}-${Date.now()}`, target: "https://example.com/{n}" });
  const service: [string, number, Case["requests"], number][] = [
    ["page of a shared file", 200, [get(page, BROWSER_HEADERS)], 200],
    ["download of 64 KiB through a share", 100, [get(download)], 200],
    ["upload of a file of 4 KiB", 20, [multipart(token)], 201],
    ["API: one link", 100, [api("/links/{code}")], 200],
    ["API: a new link", 20, [post("/admin/v1/links", token, "application/json", created)], 201],
    ["API: a list of 50 links", 20, [1, 2, 7, 400].map((at) => api(`/links?page_size=50&page=${at}`)), 200],
    [
      "API: a search over titles and targets",
      5,
      ["campaign%2037", "path/4711", "example"].map((word) => api(`/links?search=${word}`)),
      200,
    ],
  ];
  waymark.resume();
  await settle(waymark);
  const services: Measured[] = [];
  for (const [name, rate, requests, status] of service)
    services.push(await measure(name, waymark, { rate, requests, status, connections: 64 }));

  const facts: Facts = {
    date: new Date().toISOString().slice(0, 10),
    cores: cpus().length,
    processor: cpus()[0]!.model,
    commit: version(["git", "-C", import.meta.dir, "log", "-1", "--format=%h", "--", "../src"]),
    versions: `Bun ${Bun.version}, ${version(["nginx", "-v"]).replace("nginx version: nginx/", "nginx ")}, Linux ${version(["uname", "-r"])}`,
    load: load.join(", "),
    others: disturbance.others / disturbance.seconds,
    nice: groupNice(),
    minutes: (Date.now() - startedAt) / 60_000,
    links: LINKS,
    seconds: SECONDS,
  };
  writePage(PAGE, { facts, mosts, rates, kinds, beside, services });
  tell(`wrote ${PAGE}`);
}

/** Linux shares cores between sessions first (sched_autogroup), so nice values of processes say nothing of others. */
function groupNice(): string {
  const file = "/proc/self/autogroup";
  return existsSync(file) ? readFileSync(file, "utf8").trim().split(" ").at(-1)! : "0";
}

/** What a program says of itself, on one line. */
function version(command: readonly string[]): string {
  const env = { ...process.env, PATH: `${process.env["PATH"]}:/usr/sbin` };
  const { stdout, stderr } = Bun.spawnSync([...command], { env });
  return `${stdout}${stderr}`.trim();
}

requireTools();
try {
  await run();
} finally {
  await Promise.all(subjects.map((subject) => subject.stop()));
  for (const one of folders) one.remove();
  rmSync(folder, { recursive: true, force: true });
}
process.exit();
