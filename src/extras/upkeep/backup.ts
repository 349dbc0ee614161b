/**
 * A backup is a folder:
 *
 *   manifest.json   version, installation, time, and every file with size and SHA-256
 *   waymark.db      a snapshot of the file database, if any
 *   files/…         the data folder: keys and stored files
 *   outside/ID/…    files of storage policy ID, whose folder lies elsewhere
 *
 * Stored files never change, and are written before their rows. So files are copied, then the database, then newer
 * files; the snapshot is checked for missing files. Not included: unflushed clicks, content in S3, other backups.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Database } from "../../platform/db/database.ts";
import { appError } from "../../lib/errors.ts";
import { pluralize } from "../../lib/pluralize.ts";
import { programName } from "../../lib/program-name.ts";
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
  /** Null without a file database. */
  databasePath: string | null;
  database: Database;
  /** For a database that `snapshot` wrote. */
  openSnapshot(path: string): Promise<Database>;
  contentOf(database: Database): ExpectedContent;
  instance: string;
  keyFingerprint: string | null;
  version: string;
  now(): number;
  /** Files copied, then files read back. */
  onProgress?: (step: "copied" | "read", done: number, total?: number) => void;
};

/** A file stored and deleted between two copies is in the snapshot without content; then another is taken. */
const MOST_SNAPSHOTS = 3;

/**
 * On failure it removes everything it wrote.
 * @throws Conflict when the folder is not empty, StorageUnavailable when stored content is missing
 */
export async function makeBackup(target: string, sources: BackupSources): Promise<Manifest> {
  if (resolve(target) === resolve(sources.dataDir)) {
    throw appError(
      "BadRequest",
      `${target} is the data folder itself; give a new folder, in it or elsewhere.`,
    );
  }
  const isNew = !existsSync(target);
  if (!isNew && readdirSync(target).length > 0) {
    throw appError("Conflict", `${target} is not empty; give a new folder.`);
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
    key_fingerprint: sources.keyFingerprint,
    database: { name, file: snapshot === null ? null : DATABASE_COPY, advice: dumpAdvice },
    outside: content.outside.map(({ policyId, basePath }) => ({ policy_id: policyId, base_path: basePath })),
    elsewhere: content.elsewhere.map(({ name: policy, objects }) => ({ policy, objects })),
    files: await describeAll(target, listed.sort(), sources),
  };
  writeFileSync(unfinishedManifestPath(target), `${JSON.stringify(manifest, null, 2)}\n`);
  await rename(unfinishedManifestPath(target), manifestPath(target));
  return manifest;
}

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
    `No backup was made: the content of ${pluralize(count, "stored object")} is missing: ${some}. ` +
      `Mount the disk or restore the files, or mark them as lost with '${fix}', which leaves them out.`,
  );
}

/** One by one: a process can't open all files at once. */
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
