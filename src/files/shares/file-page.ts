/** The page of a file, shared by itself or in a folder. */
import { filled } from "../../lib/message.ts";
import type { Look } from "../../visitors/look.ts";
import { countText, dayHtml } from "../../visitors/quantity-text.ts";
import { htmlPage, text, type VisitorPage } from "../../visitors/page.ts";
import { PDF_EMBED } from "../pdf/viewer-script.ts";
import { PDF_VIEWER_QUERY } from "../pdf/viewer.ts";
import type { Folder, StoredFile } from "../tree/entry.ts";
import {
  iconsOf,
  kindOf,
  headHtml,
  messageHtml,
  pathHtml,
  sizeWords,
  termsHtml,
  titleOf,
  SHARE_SCRIPTS,
  SHARE_STYLES,
} from "./page-parts.ts";
import { type PreviewKind, TEXT_BYTES } from "./preview.ts";
import type { Neighbours } from "./folder-page.ts";
import type { SharedEntry } from "./share.ts";

const POLICY = { "media-src": "'self'", "frame-src": "'self'" };
const PDF_POLICY = { ...POLICY, "connect-src": "'self'" };
const PDF_SCRIPTS = [...SHARE_SCRIPTS, PDF_EMBED];

export type FileView = {
  share: SharedEntry;
  file: StoredFile;
  /** From the shared folder down; none for a shared file. */
  path: readonly Folder[];
  preview: PreviewKind | null;
  /** The browser shows a PDF in a frame without scripts; for others our viewer draws it. */
  framesPdf: boolean;
  /** The files around it in its folder; null for none. */
  neighbours: Neighbours | null;
  /** Address of the picture that link previews in messages show. */
  card: string | null;
};

export function filePage(look: Look, view: FileView): VisitorPage {
  const { share, file, path } = view;
  const texts = look.texts.share;
  const kind = kindOf(file);
  const soft = `${texts.kinds[kind]} · ${sizeWords(look, file.size)}`;
  const href = path.length === 0 ? "?download=1" : `?file=${file.id}`;
  const content = `${iconsOf([kind])}${pathHtml(look, share, path, true)}${headHtml(look, share, file, kind, soft)}
${path.length === 0 ? messageHtml(share) : ""}${previewHtml(look, view)}${neighboursHtml(look, view)}
<a class="button" rel="nofollow" href="${href}">${text(texts.download)}</a>
<dl class="facts"><dt>${text(texts.added)}</dt><dd>${dayHtml(look.language, file.createdAt)}</dd>${termsHtml(look, share)}
${file.sha256 === "" ? "" : `<dt class="wide">${text(texts.checksum)}</dt><dd class="wide"><code>${text(file.sha256)}</code>${copyHtml(look, file.sha256)}</dd>`}</dl>`;
  const title = titleOf(share, file);
  const drawsPdf = isDrawn(view);
  return htmlPage(look, {
    title,
    content,
    description: title === file.name ? soft : `${file.name} · ${soft}`,
    head: cardOf(view),
    width: "wide",
    styles: SHARE_STYLES,
    scripts: drawsPdf ? PDF_SCRIPTS : SHARE_SCRIPTS,
    policy: drawsPdf ? PDF_POLICY : POLICY,
  });
}

function neighboursHtml({ texts: { share: texts }, ...look }: Look, { neighbours }: FileView): string {
  if (neighbours === null) return "";
  const { before, after, at, total } = neighbours;
  const step = (file: StoredFile | null, rel: string, label: string): string =>
    file === null
      ? "<span></span>"
      : `<a class="button quiet" rel="${rel} nofollow" href="?file=${file.id}&amp;view=1" title="${text(file.name)}">${text(label)}</a>`;
  const shown = filled(texts.leftOf, {
    left: countText(look.language, at),
    most: countText(look.language, total),
  });
  return `<nav class="pager" aria-label="${text(texts.pages)}">${step(before, "prev", texts.previous)}<span class="soft">${text(shown)}</span>${step(after, "next", texts.more)}</nav>`;
}

const cardOf = ({ card }: FileView): string =>
  `<meta property="og:type" content="website">${
    card === null
      ? ""
      : `\n<meta property="og:image" content="${text(card)}">\n<meta name="twitter:card" content="summary_large_image">`
  }`;

/** Our viewer holds the whole file in memory. */
const LARGEST_DRAWN = 64 * 1024 * 1024;
const isDrawn = ({ file, preview, framesPdf }: FileView): boolean =>
  preview === "pdf" && !framesPdf && file.size <= LARGEST_DRAWN;

function previewHtml(look: Look, view: FileView): string {
  const { file, path, preview, framesPdf } = view;
  if (preview === null) return "";
  const texts = look.texts.share;
  const src = path.length === 0 ? "?preview=1" : `?preview=${file.id}`;
  const label = text(`${texts.preview}: ${file.name}`);
  if (preview === "pdf" && !framesPdf) {
    const drawn = `<figure class="view" hidden data-src="${src}" data-viewer="${PDF_VIEWER_QUERY}" data-label="${label}" data-page="${text(texts.pdfPage)}" data-more="${text(texts.pdfMore)}"></figure>`;
    return `${isDrawn(view) ? drawn : ""}<p class="soft say no-pdf">${text(texts.noPdf)}</p>`;
  }
  const shown = {
    picture: `<img src="${src}" alt="${label}" decoding="async">`,
    video: `<video src="${src}" aria-label="${label}" controls preload="metadata" playsinline></video>`,
    audio: `<audio src="${src}" aria-label="${label}" controls preload="metadata"></audio>`,
    text: `<iframe src="${src}" title="${label}" sandbox loading="lazy"></iframe>`,
    pdf: `<iframe src="${src}" title="${label}" sandbox loading="lazy"></iframe>`,
  }[preview];
  const isCut = preview === "text" && file.size > TEXT_BYTES;
  const caption = isCut
    ? `<figcaption>${text(filled(texts.beginning, { size: sizeWords(look, TEXT_BYTES) }))}</figcaption>`
    : "";
  return `<figure class="view">${shown}${caption}</figure>`;
}

const copyHtml = ({ texts }: Look, value: string): string =>
  `<button type="button" class="copy" hidden data-text="${text(value)}" data-label="${text(texts.share.copy)}" data-done="${text(texts.share.copied)}">${text(texts.share.copy)}</button>`;

/**
 * Shown after the right password or code for a download. Browsers stay on the page where a download starts, so it must not be
 * the form.
 */
export function unlockedPage(
  look: Look,
  share: SharedEntry,
  entry: StoredFile | Folder,
  href: string,
  sentence: string,
): VisitorPage {
  const texts = look.texts.share;
  const icon = entry.kind === "folder" ? "folder" : kindOf(entry);
  const soft = entry.kind === "folder" ? texts.folder : sizeWords(look, entry.size);
  return htmlPage(look, {
    title: titleOf(share, entry),
    content: `${iconsOf([icon])}${headHtml(look, share, entry, icon, soft)}
<p class="right say" role="status">${text(sentence)}</p>
<a class="button" rel="nofollow" href="${text(href)}">${text(texts.download)}</a>`,
    styles: SHARE_STYLES,
    next: href,
  });
}
