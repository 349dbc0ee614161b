/** Parts that pages of shares have in common. Links are relative, such as `?file=12`, so none contains the code. */
import type { Look } from "../../visitors/look.ts";
import { text } from "../../visitors/page.ts";
import type { Folder, StoredFile } from "../tree/entry.ts";
import { instantHtml } from "../../visitors/times.ts";
import { countText, quantityOfBytes } from "../../visitors/quantity-text.ts";
import { icon, type IconName } from "./icons.ts";
import { ITEMS, type SharedEntry } from "./share.ts";

export const countWords = ({ language }: Look, count: number): string => countText(language, count);
export const sizeWords = ({ language }: Look, bytes: number): string => quantityOfBytes(language, bytes);

/** Isolates the name's direction of writing. */
export const bdi = (name: string): string => `<bdi>${text(name)}</bdi>`;

/** What was shared has the share's title, if it has one. */
export const titleOf = (share: Titled, { id, name }: Folder | StoredFile): string =>
  (id === share.entryId ? share.title : null) ?? name;

/** Several items without a title are called so. */
export const headingOf = (look: Look, share: Titled, entry: Folder | StoredFile): string =>
  entry.id === ITEMS ? (share.title ?? look.texts.share.several) : titleOf(share, entry);

/** The name is below the title if it is another one. Who shares is below the title of what was shared. */
export function headHtml(
  look: Look,
  share: Titled,
  entry: Folder | StoredFile,
  iconName: IconName,
  facts: string,
): string {
  const title = headingOf(look, share, entry);
  const from =
    share.from === null || entry.id !== share.entryId
      ? ""
      : `<p>${text(look.texts.share.from(`\u2068${share.from}\u2069`))}</p>`;
  const soft = `${title === entry.name || entry.id === ITEMS ? "" : `${bdi(entry.name)} · `}${text(facts)}`;
  return `<div class="head"><div class="tile">${icon(iconName)}</div><div><h1>${bdi(title)}</h1>${from}<p class="soft">${soft}</p></div></div>`;
}

/** Each line of the message in one of the page. */
export const messageHtml = ({ message }: Pick<SharedEntry, "message">): string =>
  message === null ? "" : `<p class="message"><bdi>${text(message)}</bdi></p>\n`;

/** From the shared folder down. The last one is the page itself unless `isAbove`. */
export function pathHtml(look: Look, share: Titled, path: readonly Folder[], isAbove: boolean): string {
  const linked = isAbove ? path : path.slice(0, -1);
  if (linked.length === 0) return "";
  const items = linked.map(
    (folder) =>
      `<li><a href="?${folder.id > 0 ? `folder=${folder.id}` : ""}">${bdi(headingOf(look, share, folder))}</a></li>`,
  );
  return `<nav class="path" aria-label="${text(look.texts.share.path)}"><ol>${items.join("")}</ol></nav>\n`;
}

type Titled = Pick<SharedEntry, "entryId" | "title" | "from">;
type Terms = Pick<SharedEntry, "expiresAt" | "maxDownloads" | "downloads">;

export const downloadsLeft = ({ maxDownloads, downloads }: Terms): number =>
  maxDownloads === null ? Number.POSITIVE_INFINITY : Math.max(0, maxDownloads - downloads);

/** How long and how often: terms and their values. */
export function termsHtml(look: Look, terms: Terms): string {
  const { until, left, leftOf } = look.texts.share;
  const { expiresAt, maxDownloads } = terms;
  const end =
    expiresAt === null ? "" : `<dt>${text(until)}</dt><dd>${instantHtml(look.language, expiresAt)}</dd>`;
  if (maxDownloads === null) return end;
  const shown = leftOf(countWords(look, downloadsLeft(terms)), countWords(look, maxDownloads));
  return `${end}<dt>${text(left)}</dt><dd>${text(shown)}</dd>`;
}
