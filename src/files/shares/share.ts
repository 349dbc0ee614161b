import type { ShownLink } from "../../links/link.ts";

export type ShareRecord = ShownLink & {
  /** Null is unlimited. */
  maxDownloads: number | null;
  /** Finished ones; of a limited share also running ones. */
  downloads: number;
};

/** What a drop box takes at most. */
export type DropLimits = {
  maxBytes: number;
  maxFiles: number;
  /** Bytes; null is unlimited. */
  maxFileSize: number | null;
};

export type NewShare = {
  linkId: number;
  /** The entry's. */
  accountId: number;
  /** Of a drop box: the folder that takes the files. */
  entryId: number;
  maxDownloads: number | null;
  /** Null for what is shared. */
  drop: DropLimits | null;
  createdAt: number;
};

export type SharedEntry = {
  linkId: number;
  code: string;
  createdAt: number;
  expiresAt: number | null;
  passwordHash: string | null;
  maxDownloads: number | null;
  downloads: number;
  entryId: number;
  accountId: number;
  kind: "folder" | "file";
};
