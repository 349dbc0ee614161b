/**
 * Pages for visitors of a share. Links are relative, such as `?file=12`, so none contains the code.
 */
import type { Folder, StoredFile } from "../tree/entry.ts";
import type { Look } from "../../visitors/look.ts";
import { htmlPage, text, type VisitorPage } from "../../visitors/page.ts";
import { inline } from "../../visitors/style.ts";

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
export const filePage = (look: Look, file: StoredFile, href: string): VisitorPage =>
  htmlPage(look, {
    title: file.name,
    body: {
      html: `<h1>${bdi(file.name)}</h1>
<p class="soft">${sizeText(file.size)}</p>
<a class="button" rel="nofollow" href="${text(href)}">${text(look.texts.share.download)}</a>`,
    },
    description: sizeText(file.size),
  });

/** Browsers stay on the page from which a download starts, so it must not be the form. */
export const unlockedPage = (look: Look, file: StoredFile, href: string): VisitorPage =>
  htmlPage(look, {
    title: file.name,
    body: {
      html: `<h1>${bdi(file.name)}</h1>
<p class="soft">${sizeText(file.size)}</p>
<p class="right" role="status">${text(look.texts.share.downloads)}</p>
<a class="button" rel="nofollow" href="${text(href)}">${text(look.texts.share.download)}</a>`,
    },
    next: href,
  });

export type FolderContents = {
  /** From the shared folder to the shown one. */
  path: readonly [Folder, ...Folder[]];
  folders: readonly Folder[];
  files: readonly StoredFile[];
  /** Continuation of the listing; null at its end. */
  next: string | null;
};

const STYLES = [
  inline(
    "nav{margin-bottom:.75rem;font-size:.9rem;overflow-wrap:anywhere}" +
      "ul{list-style:none;margin:1rem 0 0;padding:0;border-top:1px solid var(--line)}" +
      "li{border-bottom:1px solid var(--line)}" +
      "li a{display:flex;gap:1rem;justify-content:space-between;align-items:baseline;padding:.65rem .25rem;text-decoration:none}" +
      "li a:hover{background:var(--ground)}li bdi{overflow-wrap:anywhere;min-width:0}" +
      "li span{color:var(--soft);font-size:.85rem;white-space:nowrap}",
  ),
];

export function folderPage(look: Look, { path, folders, files, next }: FolderContents): VisitorPage {
  const texts = look.texts.share;
  const folder = path.at(-1)!;
  const above = path
    .slice(0, -1)
    .map(({ id, name }) => `<a href="?folder=${id}">${bdi(name)}</a> / `)
    .join("");
  const items = [
    ...folders.map(
      ({ id, name }) =>
        `<li><a href="?folder=${id}">${bdi(`${name}/`)}<span>${text(texts.folder)}</span></a></li>`,
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
      : `<a class="button" href="?folder=${folder.id}&amp;after=${encodeURIComponent(next)}">${text(texts.more)}</a>`;
  const soft = items.length === 0 ? texts.empty : files.length > 0 ? texts.chooseFile : texts.chooseFolder;
  const nav = above === "" ? "" : `<nav aria-label="${text(texts.foldersAbove)}">${above}</nav>\n`;
  return htmlPage(look, {
    title: folder.name,
    body: {
      html: `${nav}<h1>${bdi(folder.name)}</h1>\n<p class="soft">${text(soft)}</p>\n${list}\n${more}`,
    },
    width: "wide",
    styles: STYLES,
  });
}
