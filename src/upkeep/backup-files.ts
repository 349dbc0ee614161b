/** The files of a backup: those of the data folder, and the content that the database says is stored. */
import { existsSync, readdirSync } from "node:fs";
import { copyFile, lstat, mkdir, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { dataPath } from "../lib/data-folder.ts";
import { isInside } from "../lib/real-path.ts";
import { isBackup, isDatabaseFile, isExcluded } from "./manifest.ts";

/** Of a storage policy. */
export type BackupLocation = {
  policyId: number;
  name: string;
  /** The folder as the policy names it. */
  basePath: string;
  /** Absolute; null where the content is in no folder of this machine. */
  folder: string | null;
  /** The file that marks the folder as used. */
  marker: string;
};

/** An object that a location must have. `state` "live": it is expected to be whole. */
export type ExpectedObject = { id: number; policyId: number; objectKey: string; size: number; state: string };

/** What a database says is stored. */
export type ExpectedContent = {
  locations(): Promise<BackupLocation[]>;
  objects(): AsyncIterable<readonly ExpectedObject[]>;
  isLive(id: number): Promise<boolean>;
};

export type ContentCopied = {
  /** Locations whose files are in the backup below `outside/`. */
  outside: BackupLocation[];
  /** Locations that are in no folder of this machine, with the number of their objects. */
  elsewhere: { name: string; objects: number }[];
  /** Objects that are not there and should be: how many, and the first of them, with the reason. */
  lost: { count: number; first: string[] };
  /** Objects that were deleted while they were copied. */
  deleted: number;
};

type Sources = {
  dataDir: string;
  /** Of the file database, null without one. */
  databasePath: string | null;
  /** Hears how many files are copied. */
  onCopied?: (files: number) => void;
};

export type BackupCopies = ReturnType<typeof createBackupCopies>;

/** Of each location: uploads under way. */
const STAGING = ".staging";
const LOST_TOLD = 10;

export function createBackupCopies(target: string, { dataDir, databasePath, onCopied }: Sources) {
  const copied = new Set<string>();

  /** False when there is no such file. */
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

  /** Symbolic links, backups and what is left out are not among them. */
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

  /** Of the data folder by its name there, else by the policy: it may lie anywhere. */
  function pathIn({ policyId, folder }: BackupLocation, key: string): string {
    const way = relative(dataDir, folder!);
    const isInData = isInside(folder!, dataDir) && !isExcluded(join(dataDir, way.split("/", 1)[0]!), dataDir);
    return isInData ? join("files", way, key) : join("outside", String(policyId), key);
  }

  /** Null when it is there; why not otherwise. */
  async function copyObject({ objectKey, size }: ExpectedObject, location: BackupLocation) {
    const path = pathIn(location, objectKey);
    if (!copied.has(path)) {
      const from = join(location.folder!, objectKey);
      const found = await lstat(from).catch(nullIfGone);
      if (found === null) return "is not there";
      if (!found.isFile()) return "is no file";
      if (!(await copy(from, path))) return "is not there";
    }
    const { size: has } = await stat(join(target, path));
    return has === size ? null : `has ${has} bytes instead of ${size}`;
  }

  return {
    /** Relative to the backup. */
    paths: (): string[] => [...copied],

    /** What the data folder has and the backup doesn't yet. */
    async addDataFolder(locations: readonly BackupLocation[]): Promise<void> {
      const stagings = new Set(
        locations.flatMap(({ folder }) => (folder === null ? [] : join(folder, STAGING))),
      );
      // It may be a link to where keys are kept.
      const secretKey = dataPath(dataDir, "secretKey");
      await copy(secretKey, join("files", relative(dataDir, secretKey)));
      for (const path of filesBelow(dataDir, stagings))
        await copy(path, join("files", relative(dataDir, path)));
    },

    /** The content that the backup doesn't have yet. `live` is what the running installation says. */
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
          // A policy that was made since: its files are newer than the backup.
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
