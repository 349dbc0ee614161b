/** The program's own names in its data folder. No storage policy may use them. */
import { join } from "node:path";

const NAMES = {
  database: "waymark.db",
  secretKey: "secret.key",
  journal: "journal",
  processes: "processes",
  restore: ".restore",
  archive: ".archive",
  thumbnails: "thumbnails",
  imports: "imports",
  successor: "successor.json",
  proxyNotices: "proxy-notices.json",
  address: "server.address",
} as const;

export type DataEntry = keyof typeof NAMES;

export const dataPath = (dataDir: string, entry: DataEntry): string => join(dataDir, NAMES[entry]);

/** A file stands also for every path that begins with its name. */
export type UsedPath = { path: string; isFile: boolean };

const FILES: readonly DataEntry[] = [
  "database",
  "secretKey",
  "archive",
  "successor",
  "proxyNotices",
  "address",
];

export const usedInDataFolder = (dataDir: string): UsedPath[] =>
  (Object.keys(NAMES) as DataEntry[]).map((entry) => ({
    path: dataPath(dataDir, entry),
    isFile: FILES.includes(entry),
  }));
