import { z } from "zod";
import { appError } from "../../lib/errors.ts";
import { createView } from "../../lib/case-names.ts";
import { namedObject } from "../../lib/named-object.ts";

/** Parent of entries in an account's root. It has no row. */
export const ROOT = 0;

/** Parent of entries in the trash. It has no row, so no path from the root leads to them. */
export const TRASH = -1;

/** Parent of folders on their way to another owner (files/tree/transfers.ts), likewise. */
export const TRANSIT = -2;

/** Bounds paths and queries over ancestors. */
export const MOST_LEVELS = 500;

type Common = {
  id: number;
  /** An account or team (lib/owner.ts). */
  accountId: number;
  /** ROOT, TRASH or a folder of the same account. */
  parentId: number;
  name: string;
  /**
   * Null unless the entry lies in a folder of the server (docs/decisions/linked-folders.md). Microseconds: when the file
   * changed there; 0 for folders.
   */
  diskTime: number | null;
  /** Epoch milliseconds, like updatedAt. Of a file: since when it has its content. */
  createdAt: number;
  updatedAt: number;
};

export type Folder = Common & {
  kind: "folder";
  /** Overrides the inherited policy. */
  policyId: number | null;
};

/** It lies on the server, or shows a folder that does. */
export const isLinked = ({ diskTime }: Pick<Entry, "diskTime">): boolean => diskTime !== null;

/** It lies on the server. The folder of a tree that shows others is one of Waymark. */
export const isMirrored = (entry: Entry): boolean =>
  isLinked(entry) && (entry.kind === "file" || entry.policyId === null);

/** @throws Forbidden */
export function refuseMirrored(entry: Entry): void {
  if (isMirrored(entry)) throw readOnly();
}

export const readOnly = () =>
  appError("Forbidden", "This lies in a folder of the server that is shown as it is. Change it there.");

export const takesUploads = () =>
  appError(
    "Forbidden",
    "Nothing can be moved or copied into a folder of the server. If its storage may be changed, download it and upload it there.",
  );

export const noUploadsThere = () =>
  appError(
    "Forbidden",
    "Drop boxes and shares that take files can't lead into a folder of the server. Choose a folder of Waymark.",
  );

/** A folder without a policy of its own. */
export const newFolder = (accountId: number, parentId: number, name: string, now: number) => ({
  kind: "folder" as const,
  accountId,
  parentId,
  name,
  policyId: null,
  diskTime: null,
  createdAt: now,
  updatedAt: now,
});

export type StoredFile = Common & {
  kind: "file";
  blobId: number;
  size: number;
  mimeType: string;
  /** 64 hex digits. Empty for a file that lies on the server, until somebody asks for it. */
  sha256: string;
  /** Of its former contents; 0: it has none. */
  versionsBytes: number;
  /** Who uploaded the content, by name; null for visitors. */
  createdBy: string | null;
  /** When the content was changed last where it came from, else when it was uploaded. Epoch milliseconds. */
  modifiedAt: number;
};

/** Short enough for clients that repeat it in one header. */
export const contentTag = ({ sha256, size, diskTime }: TaggedFile): string =>
  sha256 === "" && diskTime !== null
    ? `"${size.toString(RADIX)}-${diskTime.toString(RADIX)}"`
    : `"${Buffer.from(sha256, "hex").toString("base64url")}"`;

type TaggedFile = Pick<StoredFile, "sha256" | "size" | "diskTime">;
const RADIX = 36;

/** The time of a file's content. On the server it is that of the disk, which the mirror keeps as the creation. */
export const contentTime = (file: Pick<Entry, "diskTime" | "createdAt"> & { modifiedAt: number | null }) =>
  (file.diskTime === null ? file.modifiedAt : null) ?? file.createdAt;

export type Entry = Folder | StoredFile;

/** Validators for a conditional request (lib/conditional-request.ts). Folders have no ETag. */
export const validatorsOf = (entry: Entry) =>
  entry.kind === "file"
    ? { etag: contentTag(entry), modifiedAt: entry.modifiedAt, storedAt: entry.createdAt }
    : { etag: "", modifiedAt: entry.updatedAt };

export const linkedField = z
  .boolean()
  .describe("lies in a folder of the server; it can be changed only if its storage is not read_only");
const owner = z.string().describe("account, or team:{name}");

/** The id that is shown for a parent: null for the root. */
export const shownParent = (id: number): number | null => (id === ROOT ? null : id);

export const folderView = namedObject("Folder", {
  id: z.int(),
  name: z.string(),
  parent_id: z.int().nullable().describe("null is the root"),
  policy_id: z.int().nullable().describe("overrides the inherited policy"),
  is_linked: linkedField,
  owner,
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

const viewFolderFields = createView(folderView);

export const viewFolder = (folder: Folder, ownerName: string) =>
  viewFolderFields({
    ...folder,
    isLinked: isLinked(folder),
    parentId: shownParent(folder.parentId),
    owner: ownerName,
  });

export const fileView = namedObject("File", {
  id: z.int(),
  name: z.string().meta({ examples: ["report.pdf"] }),
  folder_id: z.int().nullable().describe("null is the root"),
  size: z.int(),
  mime_type: z.string(),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable()
    .describe("null for a file that lies on the server, until GET /files/{id}/sha256 makes it"),
  is_linked: linkedField,
  owner,
  modified_at: z.iso
    .datetime()
    .describe("when the content was last changed where it came from; else when it was uploaded"),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

const viewFileFields = createView(fileView);

export const viewFile = ({ parentId, ...file }: StoredFile, ownerName: string) =>
  viewFileFields({
    ...file,
    sha256: file.sha256 || null,
    isLinked: isLinked(file),
    folderId: shownParent(parentId),
    owner: ownerName,
  });
