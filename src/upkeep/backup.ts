/**
 * A backup is a folder:
 *
 *     manifest.json      what it is: program version, installation, time, and every file with size and SHA-256
 *     waymark.db         the file database, copied in one moment; absent where a server keeps the database
 *     files/…            the data folder: keys and stored files
 *     outside/ID/…       the stored files of policy ID, whose folder lies elsewhere
 *
 * Stored files never change, and their rows come after their bytes. So the files are copied first, then the database,
 * then the files that came meanwhile. The copied database then says whether they are all there. Not in a backup are
 * clicks in the journal, which the running installation counts, content in S3, which the manifest names, and backups.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Database } from "../db/database.ts";
import { appError } from "../lib/errors.ts";
import { pluralize } from "../lib/pluralize.ts";
import { programName } from "../lib/program-name.ts";
import {
  type BackupCopies,
  type ContentCopied,
  createBackupCopies,
  type ExpectedContent,
} from "./backup-files.ts";
import {
  DATABASE_COPY,
  describeFile,
  type Manifest,
  manifestPath,
  unfinishedManifestPath,
} from "./manifest.ts";

export type BackupSources = {
  dataDir: string;
  /** Of the file database, null without one. */
  databasePath: string | null;
  database: Database;
  /** Opens what the database's `snapshot` wrote. */
  openSnapshot(path: string): Promise<Database>;
  /** What the database says is stored. */
  contentOf(database: Database): ExpectedContent;
  instance: string;
  version: string;
  now(): number;
  /** Files that are copied; then files that are read back, of how many. */
  onProgress?: (step: "copied" | "read", done: number, total?: number) => void;
};

/** A file that is stored and deleted between two copies is in the database's copy without its content. */
const MOST_SNAPSHOTS = 3;

/**
 * Writes the backup and resolves with its manifest.
 * @throws Conflict when the folder is not empty, StorageUnavailable when stored content is missing; then nothing is left
 */
export async function makeBackup(target: string, sources: BackupSources): Promise<Manifest> {
  if (resolve(target) === resolve(sources.dataDir)) {
    throw appError(
      "BadRequest",
      `${target} is the data folder itself; name a new folder, in it or elsewhere.`,
    );
  }
  const isNew = !existsSync(target);
  if (!isNew && readdirSync(target).length > 0) {
    throw appError("Conflict", `${target} is not empty; name a folder that is new.`);
  }
  mkdirSync(target, { recursive: true, mode: 0o700 });
  try {
    return await fill(target, sources);
  } catch (error) {
    for (const name of readdirSync(target)) rmSync(join(target, name), { recursive: true, force: true });
    if (isNew) rmSync(target, { recursive: true, force: true });
    throw error;
  }
}

async function fill(target: string, sources: BackupSources): Promise<Manifest> {
  const { dataDir, databasePath, database, onProgress } = sources;
  writeFileSync(unfinishedManifestPath(target), "", { mode: 0o600 });
  const copies = createBackupCopies(target, {
    dataDir,
    databasePath,
    onCopied: (files) => onProgress?.("copied", files),
  });
  let content = await copyFiles(copies, database, sources);
  const { snapshot, dumpAdvice, name } = database.dialect;
  if (snapshot !== null) {
    const path = join(target, DATABASE_COPY);
    for (let taken = 1; taken === 1 || (content.deleted > 0 && taken <= MOST_SNAPSHOTS); taken++) {
      rmSync(path, { force: true });
      await snapshot(database.slow, path);
      chmodSync(path, 0o600);
      const copy = await sources.openSnapshot(path);
      content = await copyFiles(copies, copy, sources).finally(() => copy.close());
    }
  }
  refuseLost(content.lost);
  const listed = [...(snapshot === null ? [] : [DATABASE_COPY]), ...copies.paths()];
  const manifest: Manifest = {
    format: 1,
    version: sources.version,
    instance: sources.instance,
    created_at: new Date(sources.now()).toISOString(),
    database: { name, file: snapshot === null ? null : DATABASE_COPY, advice: dumpAdvice },
    outside: content.outside.map(({ policyId, basePath }) => ({ policy_id: policyId, base_path: basePath })),
    elsewhere: content.elsewhere.map(({ name: policy, objects }) => ({ policy, objects })),
    files: await describeAll(target, listed.sort(), sources),
  };
  writeFileSync(unfinishedManifestPath(target), `${JSON.stringify(manifest, null, 2)}\n`);
  await rename(unfinishedManifestPath(target), manifestPath(target));
  return manifest;
}

/** What the database says is stored, and whatever else the data folder has. */
async function copyFiles(
  copies: BackupCopies,
  database: Database,
  { contentOf, database: running }: BackupSources,
): Promise<ContentCopied> {
  const expected = contentOf(database);
  const locations = await expected.locations();
  await copies.addDataFolder(locations);
  return copies.addContent(expected, locations, contentOf(running));
}

function refuseLost({ count, first }: ContentCopied["lost"]): void {
  if (count === 0) return;
  const some = count > first.length ? `${first.join(", ")} and more` : first.join(", ");
  const fix = `${programName()} doctor --storage --fix`;
  throw appError(
    "StorageUnavailable",
    `There is no backup: the content of ${pluralize(count, "stored object")} can't be had: ${some}. ` +
      `Mount the disk or put it back; what is lost is marked by '${fix}' and then left out.`,
  );
}

/** One after the other: there may be more files than a process may open. */
async function describeAll(
  target: string,
  paths: readonly string[],
  { onProgress }: BackupSources,
): Promise<Manifest["files"]> {
  const files: Manifest["files"] = [];
  for (const path of paths) {
    files.push(await describeFile(target, path));
    onProgress?.("read", files.length, paths.length);
  }
  return files;
}
