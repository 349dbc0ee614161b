/**
 * The longest time for which one hostile request holds the event loop of the real server: heads, bodies, cookies,
 * queries, dates, durations, codes, names, CSV and JSON of the largest size that is taken, and pages of full folders.
 *
 *     bin/bun bench/hostile.ts [part of a name]
 *
 * Each request is sent three times on a connection of its own, those above the bar again at the end. The figures are
 * those of bench/lib/loop-gap.ts: the processor time of the main thread in one turn of its loop, which other programs
 * barely change, and the time for which the loop stood still without the time in which other programs had the core. The
 * bar is 20 ms of either, in both rounds; the program fails if a request exceeds it.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { driveClient } from "../test/support/drive.ts";
import { startSignedIn } from "../test/support/session.ts";
import { dial } from "../test/support/wire.ts";
import { fillFolder } from "./lib/fill-folder.ts";

const BAR_MS = 20;
const TIMES = 3;
/** Some requests are never answered. */
const ANSWER_MS = 20_000;
const HEAD_ROOM = 15_800;
const JSON_BYTES = 2 * 1024 * 1024 - 1_000;
const CSV_BYTES = 10_000_000;
const folder = mkdtempSync(join(tmpdir(), "waymark-hostile-"));
const report = join(folder, "gaps");
writeFileSync(report, "");

const { installation, server, client } = await startSignedIn({
  LOOP_GAP_FILE: report,
  LOOP_GAP_EVERY_MS: "20",
  BUN_OPTIONS: `--preload ${join(import.meta.dir, "lib", "loop-gap.ts")}`,
});
await client.call("POST", "/links", { code: "a", target: "https://example.com/" });
const AUTH = `Authorization: Bearer ${client.token}\r\n`;

/** Texts that make careless readers slow, of at most so many characters. */
const SHAPES: Record<string, (length: number) => string> = {
  blanks: (length) => `a${" ".repeat(length - 4)}a b`,
  tabs: (length) => `a${"\t".repeat(length - 2)}a`,
  commas: (length) => ",".repeat(length),
  semicolons: (length) => "a=b;".repeat(length / 4),
  quotes: (length) => `"${'\\"'.repeat(length / 2 - 2)}`,
  percents: (length) => "%41".repeat(length / 3),
  "broken percents": (length) => "%4".repeat(length / 2),
  dots: (length) => `a${".aaaaaaaaaa".repeat(length / 11 - 1)}.`,
  digits: (length) => "1".repeat(length),
  hyphens: (length) => "a-".repeat(length / 2),
  slashes: (length) => "/a".repeat(length / 2),
  stars: (length) => "*,".repeat(length / 2),
  letters: (length) => "a".repeat(length),
  brackets: (length) => "[".repeat(length),
  "bytes above 127": (length) => "\u00ff".repeat(length),
};
const FIELDS = [
  ["Host", "Connection", "Authorization", "Cookie", "Accept", "Accept-Language", "User-Agent", "Referer"],
  ["If-None-Match", "If-Modified-Since", "Range", "Content-Type", "Expect", "Origin", "X-Forwarded-For"],
].flat();
const QUERIES = ["search", "created_after", "page", "tag", "sort", "cursor", "only_active"];

type Case = { name: string; bytes: string; method?: string };
const cases: Case[] = [];

const head = (line: string, fields: string) => `${line} HTTP/1.1\r\n${fields}\r\n`;
for (const [shape, make] of Object.entries(SHAPES)) {
  for (const field of FIELDS) {
    const value = `${field === "Authorization" ? "Bearer " : ""}${make(HEAD_ROOM)}`;
    const host = field === "Host" ? "" : "Host: h\r\n";
    const path = field === "Authorization" ? "/admin/v1/links" : "/a";
    cases.push({ name: `${field}: ${shape}`, bytes: head(`GET ${path}`, `${host}${field}: ${value}\r\n`) });
  }
  const text = encodeURI(make(5_000).replaceAll("%", "%25")).slice(0, HEAD_ROOM);
  cases.push({ name: `target: ${shape}`, bytes: head(`GET /${text}`, "Host: h\r\n") });
  for (const name of QUERIES) {
    const bytes = head(`GET /admin/v1/links?${name}=${text}`, `Host: h\r\n${AUTH}`);
    cases.push({ name: `query ${name}: ${shape}`, bytes });
  }
}

const post = (path: string, type: string, body: string, method = "POST"): string =>
  `${method} ${path} HTTP/1.1\r\nHost: h\r\n${AUTH}Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body, "latin1")}\r\n\r\n${body}`;
const json = (path: string, body: unknown, method?: string) =>
  post(path, "application/json", typeof body === "string" ? body : JSON.stringify(body), method);
const link = "/admin/v1/links";
const csv = (text: string) =>
  post(
    `${link}/import?dry_run=true`,
    "multipart/form-data; boundary=b",
    `--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n${text}\r\n--b--\r\n`,
  );
for (const [shape, make] of Object.entries(SHAPES)) {
  for (const field of ["target", "expires_at", "code", "password", "title"]) {
    const body = { target: "https://example.com/", [field]: make(JSON_BYTES / 2) };
    cases.push({ name: `JSON ${field}: ${shape}`, bytes: json(link, body) });
  }
  cases.push({ name: `JSON ${shape}`, bytes: json(link, make(JSON_BYTES)) });
  cases.push({ name: `CSV ${shape}`, bytes: csv(`code,target\n${make(CSV_BYTES)}`) });
  const line = make(CSV_BYTES / 1_000);
  cases.push({ name: `CSV lines of ${shape}`, bytes: csv(`code,target\n${`${line}\n`.repeat(999)}`) });
  cases.push({ name: `CSV lines of ${shape} before the header`, bytes: csv(`${line}\n`.repeat(999)) });
}
const chunked = (body: string) =>
  `POST ${link} HTTP/1.1\r\nHost: h\r\n${AUTH}Transfer-Encoding: chunked\r\n\r\n${body}`;
cases.push(
  { name: "chunks of a byte", bytes: chunked(`${"1\r\n \r\n".repeat(87_000)}0\r\n\r\n`) },
  { name: "chunks with extensions", bytes: chunked(`${"1;a=b\r\n \r\n".repeat(52_000)}0\r\n\r\n`) },
  { name: "pipelined redirects", bytes: head("GET /a", "Host: h\r\n").repeat(16_000) },
  { name: "empty lines", bytes: "\r\n".repeat(260_000) + head("GET /a", "Host: h\r\n") },
  { name: "200 fields", bytes: head("GET /a", `Host: h\r\n${"a:b\r\n".repeat(190)}`) },
  { name: "CSV of many columns", bytes: csv(`code,target${",a".repeat(32_000)}\n`.repeat(150)) },
  { name: "CSV of short rows", bytes: csv(`code,target\n${"a,b\n".repeat(100_000)}`) },
  { name: "CSV of short lines", bytes: csv(`code,target\n${"\n,".repeat(100_000)}`) },
  { name: "names of fields", bytes: json(link, `{${'"a":1,'.repeat(JSON_BYTES / 6 - 10)}"a":1}`) },
  { name: "batch of lists", bytes: json(`${link}/batch`, `[${"[],".repeat(21_800)}1]`) },
  {
    name: "batch with names",
    bytes: json(`${link}/batch`, `{${'"":[],'.repeat(10_900)}"a":1}`),
  },
  { name: "batch of items", bytes: json(`${link}/batch`, { codes: Array(5_000).fill("zz") }, "DELETE") },
);

const drive = driveClient(server.url, client.token);
const LONGEST_NAME = 255;
for (const [names, nameOf] of [
  // In another order than that of their bytes.
  ["digits", (number: number) => "1".repeat(LONGEST_NAME - 60 + (number % 50)) + (number + 1_000)],
  ["letters above 127", (number: number) => "\u00e4".repeat(LONGEST_NAME / 2 - 2) + number],
  ["numbers", (number: number) => `photo ${number}.jpg`],
] as const) {
  const full = await drive.folder(names);
  await fillFolder({ client: drive, dataDir: installation.dataDir }, full, 2_000, nameOf);
  const { url } = (await drive.call("POST", `/folders/${full}/share`, {})).body.data;
  const line = `GET ${new URL(url).pathname}`;
  cases.push({ name: `folder of ${names}`, bytes: head(line, "Host: h\r\nAccept: text/html\r\n") });
}

/** In milliseconds. */
type Hold = { used: number; stood: number };

/** The longest that the server has reported since the line so far, after one whole report more. */
async function longestSince(length: number): Promise<Hold> {
  const over = Date.now();
  for (;;) {
    await Bun.sleep(10);
    const rows = readFileSync(report, "utf8")
      .slice(length)
      .trim()
      .split("\n")
      .map((line) => line.split(" ").map(Number));
    if ((rows.at(-1)![0] ?? 0) <= over) continue;
    return {
      used: Math.max(...rows.map(([, , , used = 0]) => used)),
      stood: Math.max(...rows.map(([, , stood = 0]) => stood)),
    };
  }
}

async function send({ bytes }: Case): Promise<void> {
  const wire = dial(server.url);
  wire.send(bytes);
  await Promise.race([wire.answer().catch(() => undefined), Bun.sleep(ANSWER_MS)]);
  wire.hangUp();
}

async function measure(one: Case): Promise<Hold> {
  const { length } = readFileSync(report, "utf8");
  for (let time = 0; time < TIMES; time++) await send(one);
  return longestSince(length);
}

const isOver = ({ used, stood }: Hold): boolean => Math.max(used, stood) > BAR_MS;
const lower = (a: Hold, b: Hold): Hold => ({
  used: Math.min(a.used, b.used),
  stood: Math.min(a.stood, b.stood),
});

const wanted = cases.filter(({ name }) => name.includes(process.argv[2] ?? ""));
const found: { one: Case; hold: Hold }[] = [];
for (const one of wanted) {
  found.push({ one, hold: await measure(one) });
  if (found.length % 50 === 0) console.error(`${found.length} of ${wanted.length} requests`);
}
for (const entry of found.filter(({ hold }) => isOver(hold))) {
  entry.hold = lower(entry.hold, await measure(entry.one));
}
found.sort((one, other) => other.hold.used - one.hold.used);
console.log("processor ms  loop stood ms");
for (const { one, hold } of found) {
  console.log(`${hold.used.toFixed(1).padStart(12)}${hold.stood.toFixed(1).padStart(15)}  ${one.name}`);
}
const over = found.filter(({ hold }) => isOver(hold)).length;
console.log(`${found.length} requests, ${over} of them hold the event loop for more than ${BAR_MS} ms`);
await installation.remove();
rmSync(folder, { recursive: true, force: true });
process.exit(over === 0 ? 0 : 1);
