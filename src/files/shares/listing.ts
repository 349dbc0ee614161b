/** What the page of a folder shows: its entries in the order of the visitor's language, in parts of PART. */
import { type Language, LANGUAGES } from "../../lib/language.ts";
import type { Folders } from "../tree/folders.service.ts";
import { listingCursor, readCursor } from "../tree/listing-page.ts";
import type { FolderView } from "./folder-page.ts";
import { ITEMS, type SharedEntry } from "./share.ts";
import type { Shares } from "./service.ts";
import type { Entry, Folder, StoredFile } from "../tree/entry.ts";
import { remembered } from "../../lib/remembered.ts";

type Deps = { shares: Pick<Shares, "folders" | "items">; folders: Pick<Folders, "page"> };

const PART = 500;

/** `from`: counted from 1. `after`: a cursor, for folders that are not counted. */
export type FolderPart = { folder: number; from: number; after: string | null };

/** @throws FolderNotFound, BadRequest (cursor) */
export async function viewOfFolder(
  { shares, folders }: Deps,
  share: SharedEntry,
  wish: FolderPart,
  language: Language,
): Promise<Omit<FolderView, "adding">> {
  const path = await shares.folders(share, wish.folder);
  const folder = path.at(-1)!;
  if (folder.id === ITEMS) return { share, path, ...partOf(await shares.items(share), language) };
  const query = `folder=${folder.id}`;
  if (wish.after === null) {
    const whole = await folders.page(share.accountId, folder, null, MOST_ENTRIES_SORTED);
    if (whole.next === null) {
      const sorted = foldersFirst(whole, language);
      const from = wish.from <= sorted.length ? wish.from : 1;
      const counts = { folders: whole.folders.length, files: whole.files.length, from };
      const entries = sorted.slice(from - 1, from - 1 + PART);
      return {
        share,
        path,
        entries,
        counts,
        previous: from === 1 ? null : `${query}&from=${Math.max(1, from - PART)}`,
        next: from + PART > sorted.length ? null : `${query}&from=${from + PART}`,
      };
    }
  }
  const after = wish.after === null ? null : readCursor(wish.after);
  const part = await folders.page(share.accountId, folder, after, PART);
  const next = part.next && `${query}&after=${listingCursor(part.next)}`;
  return { share, path, entries: foldersFirst(part, language), counts: null, previous: null, next };
}

/** Several items, all on one page. */
function partOf(items: readonly Entry[], language: Language) {
  const folders = items.filter((item) => item.kind === "folder");
  const files = items.filter((item) => item.kind === "file");
  const counts = { folders: folders.length, files: files.length, from: 1 };
  return { entries: foldersFirst({ folders, files }, language), counts, previous: null, next: null };
}

/** A larger folder is read in pages by the bytes of the names, and each page is sorted by itself. */
const MOST_ENTRIES_SORTED = 2_000;

const collatorOf = remembered((language) => new Intl.Collator(language, { numeric: true }), {
  most: LANGUAGES.length,
});

/** As people do: 2 before 10, letters by the language's alphabet. */
export function naturally<E extends { name: string }>(entries: readonly E[], language: Language): E[] {
  const { compare } = collatorOf(language);
  return entries.toSorted((a, b) => compare(a.name, b.name) || (a.name < b.name ? -1 : 1));
}

type Listed = { folders: readonly Folder[]; files: readonly StoredFile[] };

export const foldersFirst = ({ folders, files }: Listed, language: Language): (Folder | StoredFile)[] => [
  ...naturally(folders, language),
  ...naturally(files, language),
];
