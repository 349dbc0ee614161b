/**
 * Torn backups: kills during `waymark backup` and `waymark restore`, damaged and cut files, and full disks under both.
 * A backup is whole or refused; a restore has everything, or nothing, or says that it must be finished.
 */
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DIALECT_NAMES, type DialectName } from "../../src/platform/db/fresh.test-support.ts";
import { createMigrated } from "../../src/platform/db/schema-copy.test-support.ts";
import { driveClient } from "../support/drive.ts";
import { PASSWORD, signIn } from "../support/session.ts";
import { type Installation, install, PROGRAM } from "../support/waymark.ts";
import { memoryDisk } from "./disks.ts";
import { type Bounds, type Fault, missingRoot, type Outcome } from "./row.ts";

const FILES = 24;
const FILE_BYTES = 512 * 1024;
const LONGEST_LIFE_MS = 1_500;

type Book = { outcome: Outcome; folder: string; original: Installation; urls: { url: string } };
type Tear = (book: Book, round: number) => Promise<void>;

const entriesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => statSync(join(folder, path)).isFile())
    .toSorted();

/** What is in the data folder and the database file, except locks and journals. */
const stateOf = (installation: Installation): string =>
  entriesOf(installation.dataDir)
    .filter((path) => !/^(journal|processes|thumbnails)\/|-(wal|shm|reserve)$/.test(path))
    .map((path) => `${path} ${Bun.hash(readFileSync(join(installation.dataDir, path)))}`)
    .join("\n");

/** A command in its own process, killed after up to `mostMs`. Whether it came to its end before. */
async function killed(installation: Installation, args: readonly string[], env: object, mostMs: number) {
  const child = Bun.spawn([PROGRAM, ...args], {
    env: { ...process.env, WAYMARK__DATA__DIR: installation.dataDir, ...env },
    stdout: "ignore",
    stderr: "ignore",
  });
  await Bun.sleep(Math.random() * mostMs);
  child.kill("SIGKILL");
  return (await child.exited) === 0;
}

/** The restored installation answers as the original one: all links and files, byte by byte. */
async function expectWhole(book: Book, restored: Installation, what: string): Promise<void> {
  const server = await restored.serve();
  const drive = driveClient(server.url, (await signIn(server.url)).token);
  const { files } = (await drive.call("GET", "/folders")).body.data as {
    files: { id: number; name: string }[];
  };
  for (let at = 0; at < FILES; at++) {
    const visit = await fetch(`${server.url}/kept-${at}`, { redirect: "manual" });
    if (visit.status !== 307) book.outcome.lost.push(`${what}: link kept-${at} answers ${visit.status}`);
    const file = files.find(({ name }) => name === `file-${at}`);
    const answer = file && (await drive.send(`/files/${file.id}/download`));
    const bytes = answer && new Uint8Array(await answer.arrayBuffer());
    if (bytes === undefined || !Buffer.from(bytes).equals(contentOf(at)))
      book.outcome.lost.push(`${what}: file-${at} answers ${answer?.status}, ${bytes?.length} bytes`);
  }
  await server.stop();
}

const contentOf = (at: number): Buffer<ArrayBuffer> => {
  const bytes = Buffer.alloc(FILE_BYTES);
  for (let word = 0; word < FILE_BYTES; word += 4)
    bytes.writeUInt32LE((word * 2_654_435_761 + at) >>> 0, word);
  return bytes;
};

const fresh = ({ urls }: Book, folder: string): Installation => {
  const isFile = urls.url.startsWith("sqlite:");
  return install({ WAYMARK__DATA__DIR: folder, ...(!isFile && { WAYMARK__DATABASE__URL: urls.url }) });
};

function expectRefusal(
  book: Book,
  what: string,
  result: { exitCode: number; stdout: string; stderr: string },
) {
  if (result.exitCode === 0) book.outcome.lost.push(`${what} ended well: ${result.stdout}`);
  else {
    book.outcome.refused++;
    const line = result.stderr.trim().split("\n").at(-1)!.replaceAll(book.folder, "…").slice(0, 240);
    (book.outcome.said as Map<string, number>).set(line, (book.outcome.said.get(line) ?? 0) + 1);
  }
  if (/\bat .+:\d+:\d+|Error:/.test(result.stderr)) book.outcome.lost.push(`${what}: ${result.stderr}`);
}

/** Restores into a new folder, which must have nothing or everything. */
async function expectRestore(book: Book, backup: string, what: string): Promise<void> {
  const restored = fresh(book, mkdtempSync(join(book.folder, "restored-")));
  const begun = performance.now();
  const result = await restored.cli(["restore", backup]);
  book.outcome.recoveryMs = Math.max(book.outcome.recoveryMs, performance.now() - begun);
  if (result.exitCode !== 0) return void book.outcome.lost.push(`${what}: ${result.stderr}`);
  await expectWhole(book, restored, what);
  book.outcome.answered++;
  await restored.remove();
}

const killedBackup: Tear = async (book, round) => {
  const backup = join(book.folder, `killed-${round}`);
  const isDone = await killed(book.original, ["backup", backup], environmentOf(book), LONGEST_LIFE_MS);
  if (existsSync(join(backup, "manifest.json")))
    return expectRestore(book, backup, "a backup whose process was killed");
  if (isDone) return void book.outcome.lost.push("a backup ended well without a manifest");
  const other = fresh(book, mkdtempSync(join(book.folder, "refused-")));
  const before = stateOf(other);
  expectRefusal(book, "the restore of a torn backup", await other.cli(["restore", backup]));
  if (stateOf(other) !== before) book.outcome.lost.push("a refused restore left something");
  // The next one works.
  await book.original.run(["backup", join(book.folder, `after-${round}`)]);
  await expectRestore(book, join(book.folder, `after-${round}`), "the backup after a killed one");
};

const killedRestore: Tear = async (book, round) => {
  const backup = join(book.folder, `whole-${round}`);
  await book.original.run(["backup", backup]);
  const target = fresh(book, mkdtempSync(join(book.folder, "killed-")));
  for (let kill = 1; kill <= 4; kill++)
    await killed(target, ["restore", backup, "--replace"], environmentOf(book), (LONGEST_LIFE_MS * kill) / 2);
  await target.run(["restore", backup, "--replace"]);
  await expectWhole(book, target, "a restore after kills");
  book.outcome.answered++;
  await target.remove();
};

const damaged: Tear = async (book, round) => {
  const whole = join(book.folder, `damaged-${round}`);
  await book.original.run(["backup", whole]);
  const paths = entriesOf(whole).filter((path) => statSync(join(whole, path)).size > 0);
  const harms: [string, (path: string) => void][] = [
    ["a cut file", (path) => truncateSync(path, statSync(path).size - 1)],
    ["a missing file", (path) => rmSync(path)],
    [
      "a changed byte",
      (path) => {
        const bytes = readFileSync(path);
        bytes[Math.floor(Math.random() * bytes.length)]! ^= 1;
        writeFileSync(path, bytes);
      },
    ],
  ];
  for (const [what, harm] of harms) {
    const copy = join(book.folder, `harmed-${round}`);
    cpSync(whole, copy, { recursive: true });
    const content = paths.filter((path) => path !== "manifest.json");
    const path = content[Math.floor(Math.random() * content.length)]!;
    harm(join(copy, path));
    const other = fresh(book, mkdtempSync(join(book.folder, "refused-")));
    const before = stateOf(other);
    expectRefusal(book, `the restore of a backup with ${what}, ${path},`, await other.cli(["restore", copy]));
    if (stateOf(other) !== before) book.outcome.lost.push(`${what}: a refused restore left something`);
    rmSync(copy, { recursive: true });
  }
  await expectRestore(book, whole, "the backup beside damaged ones");
};

const onFullDisk: Tear = async (book, round) => {
  // Room for a part: of the backup, and of its staging.
  const small = memoryDisk(6);
  try {
    const backup = join(small.path, "backup");
    expectRefusal(book, "a backup on a full disk", await book.original.cli(["backup", backup]));
    if (existsSync(backup)) book.outcome.lost.push("a failed backup left its folder");
    const whole = join(book.folder, `fits-${round}`);
    await book.original.run(["backup", whole]);
    const data = join(small.path, "data");
    expectRefusal(book, "a restore on a full disk", await fresh(book, data).cli(["restore", whole]));
    const left = existsSync(data) ? entriesOf(data) : [];
    if (left.length > 0) book.outcome.lost.push(`a failed restore left ${left.join(", ")}`);
    await expectRestore(book, whole, "the backup after full disks");
  } finally {
    small.remove();
  }
};

const environmentOf = ({ urls }: Book): Record<string, string> =>
  urls.url.startsWith("sqlite:") ? {} : { WAYMARK__DATABASE__URL: urls.url };

async function tear(how: Tear, { database, rounds, minutes, say }: Bounds): Promise<Outcome[]> {
  const until = performance.now() + minutes * 60_000;
  const folder = mkdtempSync(join(tmpdir(), "waymark-test-"));
  const urls =
    database === "sqlite" ? { url: "sqlite:", drop: async () => {} } : await createMigrated(database);
  const original = install(urls.url === "sqlite:" ? {} : { WAYMARK__DATABASE__URL: urls.url });
  const outcome: Outcome = {
    subject: "backups",
    rounds: 0,
    answered: 0,
    refused: 0,
    lost: [],
    doubled: [],
    recoveryMs: 0,
    said: new Map(),
  };
  try {
    await original.run(["reset-password", "--stdin"], PASSWORD);
    const links = Array.from({ length: FILES }, (_, at) => `kept-${at},http://localhost/${at}`);
    await original.run(["links", "import", "-"], `code,target\n${links.join("\n")}\n`);
    const server = await original.serve();
    const drive = driveClient(server.url, (await signIn(server.url)).token);
    for (let at = 0; at < FILES; at++) await drive.upload(`file-${at}`, contentOf(at));
    // A backup is made while the server runs.
    for (let round = 1; round <= rounds && performance.now() < until; round++) {
      await how({ outcome, folder, original, urls }, round);
      outcome.rounds = round;
      say(`round ${round}: ${outcome.answered} whole, ${outcome.refused} refused`);
    }
    return [outcome];
  } finally {
    await original.remove();
    await urls.drop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const row = (name: string, how: Tear, missing: () => string | null = () => null): Fault => ({
  name,
  databases: DIALECT_NAMES as readonly DialectName[],
  rounds: 1,
  missing,
  run: (bounds) => tear(how, bounds),
});

export const BACKUPS: readonly Fault[] = [
  row("torn backup: kill -9 during `waymark backup`", killedBackup),
  row("torn backup: kill -9 during `waymark restore`", killedRestore),
  row("torn backup: a cut file, a missing file, a changed byte", damaged),
  row("torn backup: a full disk under backup and restore", onFullDisk, missingRoot),
];
