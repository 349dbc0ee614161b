import type { ShownLink } from "../../links/link.ts";

export type ShareRecord = ShownLink & {
  /** Null is unlimited. */
  maxDownloads: number | null;
  /** Finished ones; of a limited share also running ones. */
  downloads: number;
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
