/**
 * What the program keeps in its data folder beside stored files. Whoever uses one of these names takes it from here,
 * so that no storage policy is put in its place.
 */
import { join } from "node:path";

const NAMES = {
  database: "waymark.db",
  secretKey: "secret.key",
  journal: "journal",
  processes: "processes",
  restore: ".restore",
} as const;

export type DataEntry = keyof typeof NAMES;

export const dataPath = (dataDir: string, entry: DataEntry): string => join(dataDir, NAMES[entry]);

/** A path that the program uses. Beside a file there may be others, whose names begin with its name. */
export type UsedPath = { path: string; isFile: boolean };

const FILES: readonly DataEntry[] = ["database", "secretKey"];

export const usedInDataFolder = (dataDir: string): UsedPath[] =>
  (Object.keys(NAMES) as DataEntry[]).map((entry) => ({
    path: dataPath(dataDir, entry),
    isFile: FILES.includes(entry),
  }));
