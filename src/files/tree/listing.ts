/**
 * A folder's contents: one page with `limit` or `cursor`, else everything, written page by page as the client reads, so
 * 100,000 entries neither fill the memory nor block the event loop. It may or may not show entries that come or go
 * meanwhile.
 */
import { z } from "zod";
import { fileView, folderView, viewFile, viewFolder } from "./entry.ts";
import type { Cursor, Folders, Listing as Found, ListingPage } from "./folders.service.ts";
import { namedObject } from "../../lib/named-object.ts";
import { cursorText, placeOf } from "../../lib/cursor.ts";

export const contentsView = namedObject("FolderContents", {
  folder: folderView.optional().describe("not in the root"),
  owner: z.string().describe("account, or team:{name}"),
  path: z.array(z.object({ id: z.int(), name: z.string() })).describe("from the root to the folder itself"),
  on_server: z
    .object({
      read_only: z.boolean().describe("nothing in it can be changed through Waymark"),
      is_away: z.boolean().describe("it can't be reached just now; what was seen last is shown"),
    })
    .optional()
    .describe("only of a folder that lies on the server"),
  folders: z.array(folderView),
  files: z.array(fileView),
  next_cursor: z.string().nullable().optional().describe("only in pages; null on the last one"),
});

/** `owner`: its name. */
type Listing = Found & { owner: string; isAway?: boolean };

const headOf = ({ folder, path, owner, isReadOnly, isAway }: Listing) => ({
  ...(folder !== null && { folder: viewFolder(folder, owner) }),
  owner,
  path: path.map(({ id, name }) => ({ id, name })),
  ...(isReadOnly !== null && { on_server: { read_only: isReadOnly, is_away: isAway ?? false } }),
});

export const viewPage = (listing: Listing, page: ListingPage) => ({
  ...viewWhole(listing, page),
  next_cursor: page.next === null ? null : listingCursor(page.next),
});

/** A folder that fits into one page. */
export const viewWhole = (listing: Listing, { folders, files }: ListingPage) => ({
  ...headOf(listing),
  folders: folders.map((folder) => viewFolder(folder, listing.owner)),
  files: files.map((file) => viewFile(file, listing.owner)),
});

/** A longer listing, in pieces. `first` is its first page. */
export async function* wholeText(
  folders: Folders,
  accountId: number,
  listing: Listing,
  first: ListingPage,
): AsyncGenerator<string, void> {
  const head = JSON.stringify({ code: 0, message: "OK", data: headOf(listing) });
  let text = `${head.slice(0, -2)},"folders":[`;
  let list: "folders" | "files" = "folders";
  let written = 0;
  const add = (views: readonly unknown[]): void => {
    if (views.length === 0) return;
    text += `${written > 0 ? "," : ""}${JSON.stringify(views).slice(1, -1)}`;
    written += views.length;
  };
  for (let page: ListingPage | null = first; page !== null; ) {
    add(page.folders.map((folder) => viewFolder(folder, listing.owner)));
    if (list === "folders" && page.files.length > 0) {
      text += '],"files":[';
      list = "files";
      written = 0;
    }
    add(page.files.map((file) => viewFile(file, listing.owner)));
    yield text;
    text = "";
    page = page.next && (await folders.knownPage(accountId, listing.folder, page.next, LARGEST_PAGE));
  }
  yield list === "files" ? "]}}" : '],"files":[]}}';
}

export const LARGEST_PAGE = 1_000;

const CURSOR_MAX_LENGTH = 2_000;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

export const contentsQuery = z.object({
  limit: z
    .string()
    .regex(/^\d{1,15}$/, "must be a whole number")
    .optional()
    .describe(`return one page of so many entries, clamped to 1 to ${LARGEST_PAGE}; default: everything`)
    .meta({ type: "integer", minimum: 0, maximum: 999_999_999_999_999, pattern: undefined }),
  cursor: z
    .string()
    .max(CURSOR_MAX_LENGTH)
    .optional()
    .describe("next_cursor of the previous page, unchanged")
    .meta({ pattern: BASE64URL.source }),
});

/** Parses the page of a request, or null if it wants everything. @throws BadRequest */
export function requestedPage(
  query: z.output<typeof contentsQuery>,
): { after: Cursor | null; limit: number } | null {
  if (query.limit === undefined && query.cursor === undefined) return null;
  const limit = Math.min(Math.max(Number(query.limit ?? LARGEST_PAGE), 1), LARGEST_PAGE);
  return { after: query.cursor === undefined ? null : readCursor(query.cursor), limit };
}

export const listingCursor = ({ kind, name }: Cursor): string => cursorText([kind, name]);

const cursorShape = z
  .tuple([z.enum(["folder", "file"]), z.string()])
  .transform(([kind, name]): Cursor => ({ kind, name }));

/** An empty one is none. @throws BadRequest */
export const readCursor = (text: string): Cursor => placeOf(cursorShape, text || "?")!;
