/**
 * A copy of 20,202 entries (202 folders with 100 files each below one) while others work in the same tree and make
 * links, with SQLite and on the servers whose WAYMARK_TEST_…_URL is set. Prints how long the copy took, the times of
 * the others' requests, and the longest standstill of the event loop. Bar: it stands still for at most 20 ms of its own.
 *
 *     bin/bun bench/copies.ts [sqlite|postgres|mariadb|mysql]
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { driveClient } from "../test/support/drive.ts";
import { startSignedIn } from "../test/support/session.ts";
import { createServerDatabase, SERVERS } from "./lib/server-database.ts";

const [FOLDERS, FILES, COPIES, PAUSE_MS, LEVELS] = [100, 99, 2, 20, 2];
/** Between two lines of the report of standstills. */
const REPORT_MS = 600;

const work = mkdtempSync(join(tmpdir(), "waymark-bench-copies-"));
const only = process.argv[2];

for (const name of ["sqlite", ...SERVERS] as const) {
  if (only !== undefined && only !== name) continue;
  const database = name === "sqlite" ? undefined : await createServerDatabase(name);
  if (database !== null) await measure(name, database?.url);
  await database?.drop();
}
rmSync(work, { recursive: true });

async function measure(name: string, url: string | undefined): Promise<void> {
  const gaps = join(work, name);
  const { installation, server, client } = await startSignedIn({
    ...(url !== undefined && { WAYMARK__DATABASE__URL: url }),
    LOOP_GAP_FILE: gaps,
    BUN_OPTIONS: `--preload ${join(import.meta.dir, "lib/loop-gap.ts")}`,
  });
  const drive = driveClient(server.url, client.token);
  const copy = async (id: number, body: object): Promise<void> => {
    const { status, body: answer } = await drive.call("POST", `/folders/${id}/copy`, body);
    if (status !== 201) throw new Error(JSON.stringify(answer));
  };
  const top = await drive.folder("top");
  const half = await drive.folder("half", top);
  const leaf = await drive.folder("leaf", half);
  for (let file = 0; file < FILES; file++)
    await drive.upload(`file ${file}`, `content ${file}`, { folder: String(leaf) });
  for (let folder = 1; folder < FOLDERS; folder++) await copy(leaf, { name: `leaf ${folder}` });
  for (let other = 1; other < LEVELS; other++) await copy(half, { name: `half ${other}` });
  const beside = await drive.folder("beside");

  /** Lines of figures while that runs. */
  async function during(running: Promise<unknown>): Promise<string> {
    const [from, run] = [Date.now(), crypto.randomUUID()];
    let isOver = false;
    const repeat = async (ask: (n: number) => Promise<unknown>): Promise<number[]> => {
      const times: number[] = [];
      for (let n = 0; !isOver; n++) {
        const begun = performance.now();
        await ask(n);
        times.push(performance.now() - begun);
        await Bun.sleep(PAUSE_MS);
      }
      return times;
    };
    const [took, inTree, links] = await Promise.all([
      running.then(() => Date.now() - from).finally(() => (isOver = true)),
      repeat((n) => drive.call("POST", "/folders", { name: `${run} ${n}`, parent_id: beside })),
      repeat((n) => client.call("POST", "/links", { code: `${run}-${n}`, target: "https://example.com" })),
    ]);
    await Bun.sleep(REPORT_MS);
    const lines = readFileSync(gaps, "utf8").trim().split("\n");
    const standing = lines.map((line) => line.split(" ").map(Number)).filter(([at]) => at! > from);
    const own = Math.max(...standing.map((line) => line[2]!)).toFixed(1);
    return `${took} ms; folders in the tree: ${shown(inTree)}; links: ${shown(links)}; loop ${own} ms`;
  }

  console.log(`${name}, nothing is copied: ${await during(Bun.sleep(4_000))}`);
  for (let n = 1; n <= COPIES; n++)
    console.log(`${name}, copy ${n}: ${await during(copy(top, { name: `copy ${n}` }))}`);
  await installation.remove();
}

function shown(times: readonly number[]): string {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]?.toFixed(0);
  return `p50 ${at(0.5)}, p95 ${at(0.95)}, most ${at(1)} ms of ${sorted.length}`;
}
