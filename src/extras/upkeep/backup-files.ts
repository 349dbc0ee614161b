import { existsSync, readdirSync } from "node:fs";
import { copyFile, lstat, mkdir, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { dataPath } from "../../lib/data-folder.ts";
import { isInside } from "../../lib/real-path.ts";
import { isBackup, isDatabaseFile, isExcluded } from "./manifest.ts";

export type BackupLocation = {
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
export type ExpectedObject = { id: number; policyId: number; objectKey: string; size: number; state: string };

export type ExpectedContent = {
  locations(): Promise<BackupLocation[]>;
  objects(): AsyncIterable<readonly ExpectedObject[]>;
  isLive(id: number): Promise<boolean>;
};

export type ContentCopied = {
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
  /** Null without a file database. */
  databasePath: string | null;
  onCopied?: (files: number) => void;
};

export type BackupCopies = ReturnType<typeof createBackupCopies>;

/** Uploads in progress, in each location. */
const STAGING = ".staging";
const LOST_TOLD = 10;

export function createBackupCopies(target: string, { dataDir, databasePath, onCopied }: Sources) {
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

  /** Null when the copy is complete, else the reason. */
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
            if (lost.count <= LOST_TOLD)
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
