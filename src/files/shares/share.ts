import type { ShareVisit } from "../recipients/repository.ts";
import type { VisitorDevice } from "../recipients/visits.ts";
import type { StoredFile } from "../tree/entry.ts";

/** Id of the page that lists several items. No folder has it. */
export const ITEMS = -2;

export type SharedEntry = {
  linkId: number;
  code: string;
  title: string | null;
  message: string | null;
  /**
   * The account or team that shares, if the share has a message or recipients. Null for others, which show nobody the
   * names of accounts, and for the built-in administrator.
   */
  from: string | null;
  /** Only verified recipients see it. */
  verify: boolean;
  createdAt: number;
  expiresAt: number | null;
  passwordHash: string | null;
  maxDownloads: number | null;
  downloads: number;
  /** A folder with two ways. */
  takesFiles: boolean;
  /** ITEMS for several items. */
  entryId: number;
  accountId: number;
  kind: "folder" | "file" | "items";
  /** A file in the root, read with the share: no folder above it can be in the trash. Null: read it by its id. */
  rootFile: StoredFile | null;
};

/** `visitor`: the proved address of a recipient; null unless the share demands one. */
export type VisitedShare = SharedEntry & { visitor: string | null; device: VisitorDevice };

/** What a visitor did. */
export type VisitStep = Pick<ShareVisit, "action" | "name">;
