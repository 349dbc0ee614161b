import { z } from "zod";
import { formatRfc3339 } from "../../lib/rfc3339.ts";

/** Parent of entries in an account's root. It has no row. */
export const ROOT = 0;

/** Parent of entries in the trash. It has no row, so no path from the root leads to them. */
export const TRASH = -1;

/** Bounds paths and queries over ancestors. */
export const MOST_LEVELS = 500;

type Common = {
  id: number;
  /** 0 is the built-in administrator. */
  accountId: number;
  /** ROOT, TRASH or a folder of the same account. */
  parentId: number;
  name: string;
  /** Epoch milliseconds, like updatedAt. */
  createdAt: number;
  updatedAt: number;
};

export type Folder = Common & {
  kind: "folder";
  /** Overrides the inherited policy. */
  policyId: number | null;
};

export type StoredFile = Common & {
  kind: "file";
  blobId: number;
  size: number;
  mimeType: string;
  /** 64 hex digits. */
  sha256: string;
};

export type Entry = Folder | StoredFile;

const parent = (id: number): number | null => (id === ROOT ? null : id);

export const folderView = z.object({
  id: z.int(),
  name: z.string(),
  parent_id: z.int().nullable().describe("null is the root"),
  policy_id: z.int().nullable().describe("overrides the inherited policy"),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
folderView.register(z.globalRegistry, { id: "Folder" });

export const viewFolder = (folder: Folder): z.output<typeof folderView> => ({
  id: folder.id,
  name: folder.name,
  parent_id: parent(folder.parentId),
  policy_id: folder.policyId,
  created_at: formatRfc3339(folder.createdAt),
  updated_at: formatRfc3339(folder.updatedAt),
});

export const fileView = z.object({
  id: z.int(),
  name: z.string().meta({ examples: ["report.pdf"] }),
  folder_id: z.int().nullable().describe("null is the root"),
  size: z.int(),
  mime_type: z.string(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
fileView.register(z.globalRegistry, { id: "File" });

export const viewFile = (file: StoredFile): z.output<typeof fileView> => ({
  id: file.id,
  name: file.name,
  folder_id: parent(file.parentId),
  size: file.size,
  mime_type: file.mimeType,
  sha256: file.sha256,
  created_at: formatRfc3339(file.createdAt),
  updated_at: formatRfc3339(file.updatedAt),
});
