/** The page of a folder, whole or a part of its entries. */
import { filled, type Plural, pluralOf } from "../../lib/message.ts";
import type { Look } from "../../visitors/look.ts";
import type { Inline } from "../../visitors/style.ts";
import { htmlPage, text, type VisitorPage } from "../../visitors/page.ts";
import { mayHaveThumbnail } from "../thumbnails/service.ts";
import type { Folder, StoredFile, Entry } from "../tree/entry.ts";
import { dayHtml } from "../../visitors/quantity-text.ts";
import {
  icon,
  type IconName,
  iconsOf,
  kindOf,
  bdi,
  downloadsLeft,
  headHtml,
  headingOf,
  messageHtml,
  pathHtml,
  termsHtml,
  countWords,
  sizeWords,
  FOLDER_SCRIPTS,
  SHARE_STYLES,
} from "./page-parts.ts";
import { type SharedEntry, ITEMS } from "./share.ts";
import { type Language, LANGUAGES } from "../../lib/language.ts";
import type { Folders } from "../tree/folders.service.ts";
import { listingCursor, readCursor } from "../tree/listing.ts";
import type { Shares } from "./service.ts";
import { remembered } from "../../lib/remembered.ts";
import { sortInSlices } from "../../lib/sort-in-slices.ts";

/** Through which visitors add files. */
export type AddingForm = {
  html: string;
  styles: readonly Inline[];
  scripts: readonly Inline[];
  policy: Readonly<Record<string, string>>;
  headers: Record<string, string>;
};

export type FolderView = {
  share: SharedEntry;
  /** From the shared folder to the shown one. */
  path: readonly [Folder, ...Folder[]];
  /** The entries in the order of the page. */
  entries: readonly (Folder | StoredFile)[];
  /** The numbers of entries; null for a folder that is listed without being counted. */
  counts: { folders: number; files: number; bytes: number; from: number } | null;
  /** Queries of the neighbouring parts. */
  previous: string | null;
  next: string | null;
  /** The form through which visitors add files, or null. */
  adding: AddingForm | null;
};

export function folderPage(look: Look, view: FolderView): VisitorPage {
  const { share, path, entries, counts, adding } = view;
  const texts = look.texts.share;
  const folder = path.at(-1)!;
  const used = new Set<IconName>(["folder", "download"]);
  const showsPictures = share.maxDownloads === null;
  const rows = entries.map((entry) => rowHtml(look, entry, used, showsPictures));
  const pictures = showsPictures ? entries.filter(isPictured).length : 0;
  const list =
    rows.length === 0
      ? `<p class="none">${text(texts.empty)}</p>`
      : `<ul class="list${pictures * 2 > entries.length ? " tiles" : ""}">\n${rows.join("\n")}\n</ul>`;
  const soft = counts === null ? texts.folder : countsText(look, counts);
  const terms = termsHtml(look, share);
  const notes = [
    ...(counts === null ? [texts.large] : []),
    ...(downloadsLeft(share) === 0 ? [texts.usedUp.sentence] : []),
  ];
  return htmlPage(look, {
    title: headingOf(look, share, folder),
    content: `${iconsOf(used)}${pathHtml(look, share, path, false)}${headHtml(look, share, folder, "folder", soft)}
${path.length === 1 ? messageHtml(share) : ""}${terms === "" ? "" : `<dl class="terms">${terms}</dl>`}${notes.map((note) => `<p class="soft say">${text(note)}</p>`).join("")}
${allHtml(look, view)}
${adding?.html ?? ""}
${list}
${pagerHtml(look, view)}`,
    description: soft,
    width: "wide",
    styles: adding === null ? SHARE_STYLES : [...SHARE_STYLES, ...adding.styles],
    scripts: adding === null ? FOLDER_SCRIPTS : [...FOLDER_SCRIPTS, ...adding.scripts],
    ...(adding !== null && { policy: adding.policy }),
  });
}

function allHtml(look: Look, { share, path, entries }: FolderView): string {
  if (entries.length === 0 || downloadsLeft(share) === 0) return "";
  const folder = path.length === 1 ? "" : `&amp;folder=${path.at(-1)!.id}`;
  return `<a class="button" rel="nofollow" href="?archive=1${folder}">${text(look.texts.share.downloadAll)}</a>`;
}

function rowHtml(
  look: Look,
  entry: Folder | StoredFile,
  used: Set<IconName>,
  showsPictures: boolean,
): string {
  if (entry.kind === "folder") {
    return `<li><a class="entry" href="?folder=${entry.id}">${icon("folder")}${bdi(entry.name)}<span>${text(look.texts.share.folder)}</span>${dayHtml(look.language, entry.updatedAt)}</a></li>`;
  }
  const kind = kindOf(entry);
  used.add(kind);
  const label = text(`${look.texts.share.download}: ${entry.name}`);
  return `<li><a class="entry" rel="nofollow" href="?file=${entry.id}&amp;view=1">${pictureHtml(entry, showsPictures)}${bdi(entry.name)}<span>${sizeWords(look, entry.size)}</span>${dayHtml(look.language, entry.modifiedAt)}</a><a class="get" rel="nofollow" href="?file=${entry.id}" aria-label="${label}" title="${label}">${icon("download")}</a></li>`;
}

const isPictured = (entry: Folder | StoredFile): boolean => entry.kind === "file" && mayHaveThumbnail(entry);

/** The icon is behind the thumbnail, which the script takes away if there is none. */
function pictureHtml(file: StoredFile, showsPictures: boolean): string {
  const shown = icon(kindOf(file));
  if (!showsPictures || !isPictured(file)) return shown;
  return `<span class="thumb">${shown}<img src="?thumbnail=${file.id}" alt="" loading="lazy" decoding="async"></span>`;
}

type Counts = { folders: number; files: number; bytes: number };

function countsText(look: Look, { folders, files, bytes }: Counts): string {
  const texts = look.texts.share;
  const counted = (message: Plural, count: number) =>
    filled(pluralOf(message, look.language, count), { count: countWords(look, count) });
  const parts = [
    ...(folders > 0 ? [counted(texts.folders, folders)] : []),
    ...(files > 0 || folders === 0 ? [counted(texts.files, files)] : []),
    ...(files > 0 ? [sizeWords(look, bytes)] : []),
  ];
  return parts.join(" · ");
}

function pagerHtml(look: Look, { counts, entries, previous, next }: FolderView): string {
  if (previous === null && next === null) return "";
  const texts = look.texts.share;
  const link = (query: string | null, label: string): string =>
    query === null ? "<span></span>" : `<a class="button quiet" href="?${text(query)}">${text(label)}</a>`;
  const total = counts === null ? 0 : counts.folders + counts.files;
  const part =
    counts === null
      ? ""
      : filled(texts.part, {
          from: countWords(look, counts.from),
          to: countWords(look, counts.from + entries.length - 1),
          total: countWords(look, total),
        });
  return `<nav class="pager" aria-label="${text(texts.pages)}">${link(previous, texts.previous)}<span class="soft">${text(part)}</span>${link(next, texts.more)}</nav>`;
}

type Deps = { shares: Pick<Shares, "folders" | "items">; folders: Pick<Folders, "page"> };

const PART = 500;

/** `from`: counted from 1. `after`: a cursor, for folders that are not counted. */
export type FolderPart = { folder: number; from: number; after: string | null };

/**
 * What the page shows: the entries in the order of the visitor's language, in parts of PART. @throws FolderNotFound,
 * BadRequest (cursor)
 */
export async function viewOfFolder(
  { shares, folders }: Deps,
  share: SharedEntry,
  part: FolderPart,
  language: Language,
): Promise<Omit<FolderView, "adding">> {
  const path = await shares.folders(share, part.folder);
  const folder = path.at(-1)!;
  if (folder.id === ITEMS) return { share, path, ...(await partOf(await shares.items(share), language)) };
  const query = `folder=${folder.id}`;
  if (part.after === null) {
    const whole = await folders.page(share.accountId, folder, null, MOST_ENTRIES_SORTED);
    if (whole.next === null) {
      const sorted = await foldersFirst(whole, language);
      const from = part.from <= sorted.length ? part.from : 1;
      const counts = {
        folders: whole.folders.length,
        files: whole.files.length,
        bytes: bytesOf(whole.files),
        from,
      };
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
  const after = part.after === null ? null : readCursor(part.after);
  const rows = await folders.page(share.accountId, folder, after, PART);
  const next = rows.next && `${query}&after=${listingCursor(rows.next)}`;
  return { share, path, entries: await foldersFirst(rows, language), counts: null, previous: null, next };
}

const bytesOf = (files: readonly StoredFile[]): number => files.reduce((sum, { size }) => sum + size, 0);

/** The files around one in the order of its folder's page. Null: none, or too many to sort. */
export type Neighbours = { before: StoredFile | null; after: StoredFile | null; at: number; total: number };

export async function neighboursOf(
  { shares, folders }: Deps,
  share: SharedEntry,
  { file, folder }: { file: StoredFile; folder: Folder },
  language: Language,
): Promise<Neighbours | null> {
  const entries =
    folder.id === ITEMS
      ? await shares.items(share)
      : await folders
          .page(share.accountId, folder, null, MOST_ENTRIES_SORTED)
          .then(({ files, next }) => (next === null ? files : []));
  const files = await naturally(
    entries.filter((entry) => entry.kind === "file"),
    language,
  );
  const at = files.findIndex(({ id }) => id === file.id);
  if (at === -1 || files.length === 1) return null;
  return { before: files[at - 1] ?? null, after: files[at + 1] ?? null, at: at + 1, total: files.length };
}

/** Several items, all on one page. */
async function partOf(items: readonly Entry[], language: Language) {
  const folders = items.filter((item) => item.kind === "folder");
  const files = items.filter((item) => item.kind === "file");
  const counts = { folders: folders.length, files: files.length, bytes: bytesOf(files), from: 1 };
  return { entries: await foldersFirst({ folders, files }, language), counts, previous: null, next: null };
}

/** A larger folder is read in pages by the bytes of the names, and each page is sorted by itself. */
const MOST_ENTRIES_SORTED = 2_000;

const collatorOf = remembered((language) => new Intl.Collator(language, { numeric: true }), {
  most: LANGUAGES.length,
});

/** As people do: 2 before 10, letters by the language's alphabet. */
export function naturally<E extends { name: string }>(
  entries: readonly E[],
  language: Language,
): Promise<E[]> {
  const { compare } = collatorOf(language);
  return sortInSlices(entries, (a, b) => compare(a.name, b.name) || (a.name < b.name ? -1 : 1));
}

type Listed = { folders: readonly Folder[]; files: readonly StoredFile[] };

export const foldersFirst = async (
  { folders, files }: Listed,
  language: Language,
): Promise<(Folder | StoredFile)[]> => [
  ...(await naturally(folders, language)),
  ...(await naturally(files, language)),
];
