/**
 * Pages for visitors of a share. Links are relative, such as `?file=12`, so none contains the code.
 */
import type { Folder, StoredFile } from "../tree/entry.ts";
import { htmlPage, text } from "../../visitors/page.ts";

/** Isolates the name's direction of writing. */
const bdi = (name: string): string => `<bdi>${text(name)}</bdi>`;

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"];

export function sizeText(bytes: number): string {
  if (bytes === 1) return "1 byte";
  let size = bytes;
  let unit = 0;
  for (; size >= 1024 && unit < UNITS.length - 1; unit++) size /= 1024;
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${UNITS[unit]}`;
}

/** For crawlers and previews. `href` leads to the file. */
export const filePage = (file: StoredFile, href: string): string =>
  htmlPage(
    file.name,
    {
      html: `<h1>${bdi(file.name)}</h1>
<p class="soft">${sizeText(file.size)}</p>
<a class="button" rel="nofollow" href="${text(href)}">Download</a>`,
    },
    { description: sizeText(file.size) },
  );

/** Browsers stay on the page from which a download starts, so it must not be the form. */
export const unlockedPage = (file: StoredFile, href: string): string =>
  htmlPage(
    file.name,
    {
      html: `<h1>${bdi(file.name)}</h1>
<p class="soft">${sizeText(file.size)}</p>
<p class="right" role="status">The password is right. The download starts by itself; if it does not, use the button.</p>
<a class="button" rel="nofollow" href="${text(href)}">Download</a>`,
    },
    { next: href },
  );

export type FolderContents = {
  /** From the shared folder to the shown one. */
  path: readonly [Folder, ...Folder[]];
  folders: readonly Folder[];
  files: readonly StoredFile[];
  /** Continuation of the listing; null at its end. */
  next: string | null;
};

export function folderPage({ path, folders, files, next }: FolderContents): string {
  const folder = path.at(-1)!;
  const above = path
    .slice(0, -1)
    .map(({ id, name }) => `<a href="?folder=${id}">${bdi(name)}</a> / `)
    .join("");
  const items = [
    ...folders.map(
      ({ id, name }) => `<li><a href="?folder=${id}">${bdi(`${name}/`)}<span>Folder</span></a></li>`,
    ),
    ...files.map(
      ({ id, name, size }) =>
        `<li><a rel="nofollow" href="?file=${id}">${bdi(name)}<span>${sizeText(size)}</span></a></li>`,
    ),
  ];
  const list = items.length > 0 ? `<ul>\n${items.join("\n")}\n</ul>` : "";
  const more =
    next === null
      ? ""
      : `<a class="button" href="?folder=${folder.id}&amp;after=${encodeURIComponent(next)}">More</a>`;
  const soft = items.length === 0 ? "This folder is empty." : adviceFor(files.length > 0);
  const nav = above === "" ? "" : `<nav aria-label="Folders above">${above}</nav>\n`;
  return htmlPage(folder.name, {
    html: `${nav}<h1>${bdi(folder.name)}</h1>\n<p class="soft">${soft}</p>\n${list}\n${more}`,
  });
}

const adviceFor = (hasFiles: boolean): string =>
  hasFiles ? "Choose a file to download it." : "Choose a folder to open it.";
