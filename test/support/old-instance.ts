/**
 * Instances that an older version left behind (test/fixtures/version-0-4/), made by scripts/upgrade-fixtures.ts: one
 * archive a database with the data folder, the statements that load the database, and what the old version answered.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "../../src/db/database.ts";
import type { DialectName } from "../../src/db/fresh.test-support.ts";
import { loadDump, withDatabase } from "./database-dump.ts";

export type OldFile = {
  id: number;
  name: string;
  size: number;
  sha256: string;
  /** Where the bytes lie, below the data folder. */
  path: string;
};

export type OldFacts = {
  madeAt: string;
  /** The cookies of a signed-in administrator, by name. */
  cookies: Record<string, string>;
  jwtSecret: string;
  healthToken: string;
  /** Status and Location of each code, as redirected. */
  redirects: Record<string, [status: number, location: string | null]>;
  /** Clicks of each code that were in the database when the process was killed. */
  counted: Record<string, number>;
  /** The field `data` of answers below the API's path, after the old version started again and counted the rest. */
  answers: Record<string, unknown>;
  /** Answers that are text. */
  exports: Record<string, string>;
  files: { beforeTags: OldFile; plain: OldFile; nested: OldFile };
  shares: { file: string; folder: string };
  upload: { path: string; name: string; size: number; offset: number };
};

export const OLD_PASSWORDS = { ada: "the password of ada", share: "the password of a share" };

/** The path of the list of all links. */
export const LINKS = "/links?page_size=100";

const FOLDER = join(import.meta.dir, "..", "fixtures", "version-0-4");
const FACTS = "facts.json";
const STATEMENTS = "statements.sql";
const DATA = "data";

/** The content of a file in the fixtures. */
export function contentOf(name: string, size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at++) bytes[at] = (at * 31 + (at >> 8) * 7 + name.length) & 0xff;
  return bytes;
}

const archiveOf = (name: DialectName): string => join(FOLDER, `${name}.tar.zst`);

/** `statements` is empty for SQLite, whose database is in the data folder. */
export async function packInstance(
  name: DialectName,
  { facts, statements, dataDir }: { facts: OldFacts; statements: string; dataDir: string },
): Promise<number> {
  const work = mkdtempSync(join(tmpdir(), "waymark-test-"));
  try {
    await Bun.write(join(work, FACTS), JSON.stringify(facts, null, 1));
    await Bun.write(join(work, STATEMENTS), statements);
    run(["cp", "-a", dataDir, join(work, DATA)]);
    run(["tar", "-C", work, "--owner=0", "--group=0", "-cf", join(work, "all.tar"), FACTS, STATEMENTS, DATA]);
    const tar = readFileSync(join(work, "all.tar"));
    return await Bun.write(archiveOf(name), Bun.zstdCompressSync(tar, { level: 19 }));
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** Puts the data folder into `dataDir`, loads the database, and renews what has a term. */
export async function unpackInstance(name: DialectName, dataDir: string, url: string): Promise<OldFacts> {
  const work = mkdtempSync(join(tmpdir(), "waymark-test-"));
  try {
    const tar = Bun.zstdDecompressSync(readFileSync(archiveOf(name)));
    await Bun.write(join(work, "all.tar"), tar);
    run(["tar", "-C", work, "-xf", join(work, "all.tar")]);
    run(["cp", "-a", `${join(work, DATA)}/.`, dataDir]);
    const facts = JSON.parse(readFileSync(join(work, FACTS), "utf8")) as OldFacts;
    const statements = readFileSync(join(work, STATEMENTS), "utf8");
    await withDatabase(url, (database) => loadDump(database, name, statements));
    await withDatabase(url, renew);
    return { ...facts, cookies: renewCookies(facts) };
  } finally {
    rmSync(work, { recursive: true });
  }
}

function run(command: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(command);
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr}`);
}

/**
 * Sessions and unfinished uploads last for days, the fixtures for years: they end later now. The leases of the killed
 * process are over, and the scrub is due.
 */
async function renew({ write }: Database): Promise<void> {
  await write.updateTable("sessions").set({ expires_at: later() }).execute();
  await write.updateTable("uploads").set({ expires_at: later() }).execute();
  await write.updateTable("blobs").set({ checked_at: 0 }).execute();
  await write.updateTable("leases").set({ expires_at: 1 }).execute();
}

const later = (): number => Date.now() + 86_400_000;

/** The tokens in the cookies state when they end. Everything else in them stays. */
function renewCookies({ cookies, jwtSecret }: OldFacts): Record<string, string> {
  const renewed = Object.entries(cookies).map(([name, value]) => {
    const [head, claims, signature] = value.split(".");
    if (signature === undefined) return [name, value];
    const renewedClaims = { ...JSON.parse(atob(claims!)), exp: Math.floor(later() / 1000) };
    const signed = `${head}.${Buffer.from(JSON.stringify(renewedClaims)).toString("base64url")}`;
    const mac = new Bun.CryptoHasher("sha256", jwtSecret).update(signed).digest("base64url");
    return [name, `${signed}.${mac}`];
  });
  return Object.fromEntries(renewed) as Record<string, string>;
}
