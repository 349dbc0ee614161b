import type { ShownLink } from "../../links/link.ts";

/** A share with its link, as its owner sees it. */
export type ShareRecord = ShownLink & {
  /** Null is unlimited. */
  maxDownloads: number | null;
  /** Finished ones; of a limited share also those under way. */
  downloads: number;
};

/** What serving a share needs to know. */
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
