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
import { rename, copyFile, lstat, mkdir, stat } from "node:fs/promises";
import { join, resolve, dirname, relative } from "node:path";
import { createSaltRepository } from "../../clicks/unique/salts.repository.ts";
import type { Database } from "../../platform/db/database.ts";
import { appError } from "../../lib/errors.ts";
import { pluralize } from "../../lib/pluralize.ts";
import { programName } from "../../lib/program-name.ts";
import {
  DATABASE_COPY,
  describeFile,
  type Manifest,
  manifestPath,
  unfinishedManifestPath,
  isBackup,
  isDatabaseFile,
  isExcluded,
} from "./manifest.ts";
import { dataPath } from "../../lib/data-folder.ts";
import { isInside } from "../../lib/real-path.ts";

export type BackupSources = {
  dataDir: string;
  /** The path of a file database, or null for a server. */
  databasePath: string | null;
  database: Database;
  /** Opens a database that `snapshot` wrote. */
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
      // They must not outlive their day (clicks/unique/salts.ts).
      await createSaltRepository(copy).destroyBefore(Number.MAX_SAFE_INTEGER);
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

type BackupLocation = {
  policyId: number;
  name: string;
  /** As the policy states it. */
  basePath: string;
  /** Absolute; null when the content is in S3. */
  folder: string | null;
  /** The file name that marks the folder as used. */
  marker: string;
};

/** `state` "live": the object must be complete. */
type ExpectedObject = { id: number; policyId: number; objectKey: string; size: number; state: string };

type ExpectedContent = {
  locations(): Promise<BackupLocation[]>;
  objects(): AsyncIterable<readonly ExpectedObject[]>;
  isLive(id: number): Promise<boolean>;
};

type ContentCopied = {
  outside: BackupLocation[];
  /** Locations in S3. */
  elsewhere: { name: string; objects: number }[];
  /** Missing or wrong live objects, the first with the reason. */
  lost: { count: number; first: string[] };
  /** During the copy. */
  deleted: number;
};

type Sources = {
  dataDir: string;
  /** The path of a file database, or null for a server. */
  databasePath: string | null;
  onCopied?: (files: number) => void;
};

type BackupCopies = ReturnType<typeof createBackupCopies>;

/** Uploads in progress, in each location. */
const STAGING = ".staging";
const MOST_LOST_NAMED = 10;

function createBackupCopies(target: string, { dataDir, databasePath, onCopied }: Sources) {
  const copied = new Set<string>();

  async function copy(from: string, path: string): Promise<boolean> {
    if (copied.has(path)) return true;
    await mkdir(dirname(join(target, path)), { recursive: true, mode: 0o700 });
    try {
      await copyFile(from, join(target, path));
    } catch (error) {
      if (isGone(error)) return false;
      throw error;
    }
    copied.add(path);
    onCopied?.(copied.size);
    return true;
  }

  /** Without symbolic links, backups and excluded files. */
  function* filesBelow(folder: string, stagings: ReadonlySet<string>): Generator<string> {
    if (!existsSync(folder) || (folder !== dataDir && isBackup(folder))) return;
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      const isLeftOut = stagings.has(path) || isExcluded(path, dataDir);
      if (isLeftOut || (databasePath !== null && isDatabaseFile(path, databasePath))) continue;
      if (entry.isDirectory()) yield* filesBelow(path, stagings);
      else if (entry.isFile()) yield path;
    }
  }

  /** Below `files/` for a location in the data folder, else below `outside/`. */
  function pathIn({ policyId, folder }: BackupLocation, key: string): string {
    const way = relative(dataDir, folder!);
    const isInData = isInside(folder!, dataDir) && !isExcluded(join(dataDir, way.split("/", 1)[0]!), dataDir);
    return isInData ? join("files", way, key) : join("outside", String(policyId), key);
  }

  /** Copies an object and returns null, or the reason why the copy is incomplete. */
  async function copyObject({ objectKey, size }: ExpectedObject, location: BackupLocation) {
    const path = pathIn(location, objectKey);
    if (!copied.has(path)) {
      const from = join(location.folder!, objectKey);
      const found = await lstat(from).catch(nullIfGone);
      if (found === null) return "does not exist";
      if (!found.isFile()) return "is not a file";
      if (!(await copy(from, path))) return "does not exist";
    }
    const { size: has } = await stat(join(target, path));
    return has === size ? null : `has ${has} bytes instead of ${size}`;
  }

  return {
    /** Relative to the backup. */
    paths: (): string[] => [...copied],

    /** Skips copied files. */
    async addDataFolder(locations: readonly BackupLocation[]): Promise<void> {
      const stagings = new Set(
        locations.flatMap(({ folder }) => (folder === null ? [] : join(folder, STAGING))),
      );
      // It may be a symbolic link.
      const secretKey = dataPath(dataDir, "secretKey");
      await copy(secretKey, join("files", relative(dataDir, secretKey)));
      for (const path of filesBelow(dataDir, stagings))
        await copy(path, join("files", relative(dataDir, path)));
    },

    /** Skips copied content. `live` is the running installation. */
    async addContent(
      expected: ExpectedContent,
      locations: readonly BackupLocation[],
      live: Pick<ExpectedContent, "isLive">,
    ): Promise<ContentCopied> {
      const places = new Map(locations.map((location) => [location.policyId, { location, objects: 0 }]));
      const lost: ContentCopied["lost"] = { count: 0, first: [] };
      let deleted = 0;
      for (const location of locations) {
        if (location.folder === null) continue;
        await copy(join(location.folder, location.marker), pathIn(location, location.marker));
      }
      for await (const page of expected.objects()) {
        for (const object of page) {
          const place = places.get(object.policyId);
          // The policy and its files are newer than the list of locations.
          if (place === undefined) continue;
          place.objects++;
          if (place.location.folder === null) continue;
          const reason = await copyObject(object, place.location);
          if (reason === null || object.state !== "live") continue;
          if (await live.isLive(object.id)) {
            lost.count++;
            if (lost.count <= MOST_LOST_NAMED)
              lost.first.push(`${join(place.location.folder, object.objectKey)} ${reason}`);
          } else deleted++;
        }
      }
      const counted = [...places.values()];
      return {
        outside: locations.filter((one) => one.folder !== null && pathIn(one, "").startsWith("outside/")),
        elsewhere: counted
          .filter(({ location, objects }) => location.folder === null && objects > 0)
          .map(({ location, objects }) => ({ name: location.name, objects })),
        lost,
        deleted,
      };
    },
  };
}

const isGone = (error: unknown): boolean =>
  ["ENOENT", "ENOTDIR"].includes(String((error as { code?: unknown }).code));

function nullIfGone(error: unknown): null {
  if (isGone(error)) return null;
  throw error;
}
