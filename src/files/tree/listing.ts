/**
 * A folder's contents: one page with `limit` or `cursor`, else everything, written page by page as the client reads, so
 * 100,000 entries neither fill the memory nor block the event loop. It may or may not show entries that come or go
 * meanwhile.
 */
import { z } from "zod";
import { fileView, folderView, viewFile, viewFolder } from "./entry.ts";
import type { Folders, ListingPage, Listing as Found } from "./folders.service.ts";
import { LARGEST_PAGE, listingCursor } from "./listing-page.ts";
import { namedObject } from "../../lib/named-object.ts";

export const contentsView = namedObject("FolderContents", {
  folder: folderView.optional().describe("not in the root"),
  owner: z.string().describe("account, or team:{name}"),
  path: z.array(z.object({ id: z.int(), name: z.string() })).describe("from the root to the folder itself"),
  folders: z.array(folderView),
  files: z.array(fileView),
  next_cursor: z.string().nullable().optional().describe("only in pages; null on the last one"),
});

/** `owner`: its name. */
type Listing = Found & { owner: string };

const headOf = ({ folder, path, owner }: Listing) => ({
  ...(folder !== null && { folder: viewFolder(folder, owner) }),
  owner,
  path: path.map(({ id, name }) => ({ id, name })),
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
  folders: Pick<Folders, "page">,
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
    page = page.next && (await folders.page(accountId, listing.folder, page.next, LARGEST_PAGE));
  }
  yield list === "files" ? "]}}" : '],"files":[]}}';
}
