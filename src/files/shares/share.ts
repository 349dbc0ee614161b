import type { StoredFile } from "../tree/entry.ts";

export type SharedEntry = {
  linkId: number;
  code: string;
  title: string | null;
  createdAt: number;
  expiresAt: number | null;
  passwordHash: string | null;
  maxDownloads: number | null;
  downloads: number;
  /** A folder with two ways. */
  takesFiles: boolean;
  entryId: number;
  accountId: number;
  kind: "folder" | "file";
  /** A file in the root, read with the share: no folder above it can be in the trash. Null: read it by its id. */
  rootFile: StoredFile | null;
};
