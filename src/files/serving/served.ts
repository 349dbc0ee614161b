import type { ServedFields } from "../../links/link/events.ts";
import { type Recipients, recipientEventFields } from "../recipients/recipients.ts";
import type { ShownLink } from "../../links/link/link.ts";
import { z } from "zod";
import { badField } from "../../lib/errors.ts";
import { ASKS_NOTHING, asksAfter, type DropAsks, dropAskFields } from "../../links/link/drop-fields.ts";

/** What can be shared. */
export type Shareable = { kind: "file" | "folder"; id: number };

/** What a folder takes from visitors at most, and what it asks of them. */
export type DropLimits = DropAsks & {
  maxBytes: number;
  maxFiles: number;
  /** Bytes; null is unlimited. */
  maxFileSize: number | null;
  /** Visitors see the folder too: a share that takes files. */
  isTwoWay: boolean;
};

/** What a code is to serve. */
export type CodeUse =
  | { kind: "url" }
  | { kind: "entry"; place: Shareable; drop: DropLimits | null }
  | { kind: "items"; items: UsedItems };

export const entryIdsOf = (use: Exclude<CodeUse, { kind: "url" }>): readonly number[] =>
  use.kind === "entry" ? [use.place.id] : use.items.ids;

/** `isPast`: those of them that are left. */
export type UsedItems = { ids: readonly number[]; isPast: boolean };

export type Serving = Recipients & {
  /** The entry's. */
  accountId: number;
  /** The folder that takes the files of a drop box, or one of several items. */
  entryId: number;
  /** Ids of several items, ascending; null for one entry. */
  items: readonly number[] | null;
  /** Unlimited when null. */
  maxDownloads: number | null;
  /** The limits of what takes files, else null. */
  drop: DropLimits | null;
};

export type NewShare = Serving & { linkId: number; createdAt: number };

export type ShareRecord = ShownLink &
  Recipients & {
    /** `url`: the link redirects now. */
    kind: "file" | "folder" | "drop" | "items" | "url";
    /** Number of several items; null for one. */
    items: number | null;
    /** One of several items. Null for a URL. */
    entry: { id: number; name: string } | null;
    /** An account, or team:{name}; without a name it is being removed. Null for a URL. */
    owner: { id: number; username: string | null } | null;
    /** Unlimited when null. */
    maxDownloads: number | null;
    /** Finished downloads; of a limited share running ones too. */
    downloads: number;
    /** Limits, and what it has received. */
    drop: (DropLimits & { bytes: number; files: number }) | null;
    /** Visitors find nothing. */
    inTrash: boolean;
    /** The stored content of the file is lost. */
    isDamaged: boolean;
  };

/** The fields of events. */
export const servedFields = ({ maxDownloads, drop, items, ...audience }: Serving): ServedFields => ({
  ...recipientEventFields(audience),
  ...(items !== null && { items }),
  ...(maxDownloads !== null && { max_downloads: maxDownloads }),
  ...(drop !== null && {
    max_bytes: drop.maxBytes,
    max_files: drop.maxFiles,
    ...(drop.maxFileSize !== null && { max_file_size: drop.maxFileSize }),
    ...(drop.requires !== null && { require: drop.requires }),
    ...(drop.senderFolders && { sender_folders: true }),
    ...(drop.types.length > 0 && { types: drop.types }),
  }),
});

// Folders with two ways: shares whose visitors see what is in a folder, and add files.

const MOST_FILES = 1_000_000_000;
export const limitBytes = z.int().min(1).max(Number.MAX_SAFE_INTEGER);
export const limitFiles = z.int().min(1).max(MOST_FILES);

/** What visitors may add. */
export const addingFields = {
  add: z.boolean().optional().describe("of a folder: visitors add files, and delete or replace none"),
  max_bytes: limitBytes.optional().describe("with add: of all files together; 1 GB when absent"),
  max_files: limitFiles
    .optional()
    .describe("with add: files in all, including those deleted since; 100 when absent"),
  max_file_size: limitBytes
    .nullish()
    .describe("with add: of one file, in bytes; null: only max_bytes limits it"),
  ...dropAskFields,
};
const addingSchema = z.object(addingFields);
/** Absent: unchanged. */
export type AddingInput = z.output<typeof addingSchema>;

export const ADDING_DEFAULTS = {
  maxBytes: 1_000_000_000,
  maxFiles: 100,
  maxFileSize: null,
  ...ASKS_NOTHING,
};

/** Undefined without a field. */
export const addingOf = (input: AddingInput): AddingInput | undefined =>
  Object.values(input).some((value) => value !== undefined) ? input : undefined;

/** What visitors add after the change; null for nothing. @throws BadRequest for limits without `add` */
export function addingAfter(before: DropLimits | null, input: AddingInput): DropLimits | null {
  const isBox = isDropBox(before);
  const { add = before !== null, max_bytes, max_files, max_file_size } = input;
  if (isBox && input.add !== undefined) throw notAFolder();
  if (!add && !isBox) {
    const { add: _, ...limits } = input;
    const [field] = Object.entries(limits).find(([, value]) => (value ?? null) !== null) ?? [];
    if (field === undefined) return null;
    throw badField(field, `${field} is for folders that take files; give add: true with it.`);
  }
  const known = before ?? ADDING_DEFAULTS;
  return {
    maxBytes: max_bytes ?? known.maxBytes,
    maxFiles: max_files ?? known.maxFiles,
    maxFileSize: max_file_size === undefined ? known.maxFileSize : max_file_size,
    ...asksAfter(known, input),
    isTwoWay: !isBox,
  };
}

/** Visitors see nothing of its folder. */
export const isDropBox = (drop: DropLimits | null): boolean => drop?.isTwoWay === false;

export const notAFolder = () => badField("add", "add is for shared folders only; leave it out.");

/** Which shares a list shows, and in which order. */
export const SHARE_KINDS = ["file", "folder", "drop", "items"] as const;
/** The first that applies of: damaged, expired, used up, active. Entries in the trash have one, too. */
export const SHARE_STATES = ["active", "expired", "used_up", "damaged"] as const;

/** What serves one of these entries of the account or something in them; with `around`, a folder around one too. */
export type EntriesFilter = { ids: readonly number[]; around: boolean };

/** Empty or absent: any. */
export type ShareFilter = {
  /** All accounts when null. */
  accountId: number | null;
  /** Only what serves nothing outside of this folder of the account. */
  within?: number | null;
  entries?: EntriesFilter | undefined;
  /** Text in code, title, note or name, ignoring case. */
  search?: string | undefined;
  kind?: (typeof SHARE_KINDS)[number] | "" | undefined;
  state?: (typeof SHARE_STATES)[number] | "" | undefined;
};

export const SHARE_SORTS = ["created_at", "code", "human_clicks", "click_count", "expires_at"] as const;

/** Ties: newest first. No expiry sorts as the latest one. */
export type ShareOrder = { by: (typeof SHARE_SORTS)[number]; isDescending: boolean };
