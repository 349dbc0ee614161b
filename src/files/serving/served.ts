import type { ServedFields } from "../../links/link/events.ts";
import { type Recipients, toldRecipients } from "../recipients/recipients.ts";
import type { ShownLink } from "../../links/link/link.ts";

/** What can be shared. */
export type Shareable = { kind: "file" | "folder"; id: number };

/** What a folder takes from visitors at most. */
export type DropLimits = {
  maxBytes: number;
  maxFiles: number;
  /** Bytes; null is unlimited. */
  maxFileSize: number | null;
  /** Visitors see the folder too: a share that takes files. */
  isTwoWay: boolean;
};

/** What a code is to serve. */
export type Wanted =
  | { kind: "url" }
  | { kind: "entry"; place: Shareable; drop: DropLimits | null }
  | { kind: "items"; items: WantedItems };

export const idsOfWanted = (wanted: Exclude<Wanted, { kind: "url" }>): readonly number[] =>
  wanted.kind === "entry" ? [wanted.place.id] : wanted.items.ids;

/** `isPast`: those of them that are left. */
export type WantedItems = { ids: readonly number[]; isPast: boolean };

export type Serving = Recipients & {
  /** The entry's. */
  accountId: number;
  /** For a drop box the folder that takes the files; one of several items. */
  entryId: number;
  /** Ids of several items, ascending; null for one entry. */
  items: readonly number[] | null;
  /** Null is unlimited. */
  maxDownloads: number | null;
  /** Null for what takes no files. */
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
    /** Null for a URL. An account, or team:{name}; without a name it is being removed. */
    owner: { id: number; username: string | null } | null;
    /** Null is unlimited. */
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

/** For events. */
export const servedFields = ({ maxDownloads, drop, items, ...says }: Serving): ServedFields => ({
  ...toldRecipients(says),
  ...(items !== null && { items }),
  ...(maxDownloads !== null && { max_downloads: maxDownloads }),
  ...(drop !== null && {
    max_bytes: drop.maxBytes,
    max_files: drop.maxFiles,
    ...(drop.maxFileSize !== null && { max_file_size: drop.maxFileSize }),
  }),
});
