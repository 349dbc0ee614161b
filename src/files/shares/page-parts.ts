/** Parts that pages of shares have in common. Links are relative, such as `?file=12`, so none contains the code. */
import { filled } from "../../lib/message.ts";
import type { Look } from "../../visitors/look.ts";
import { text } from "../../visitors/page.ts";
import type { Folder, StoredFile } from "../tree/entry.ts";
import { instantHtml, LOCAL_TIMES, countText, quantityOfBytes } from "../../visitors/quantity-text.ts";
import { ITEMS, type SharedEntry } from "./share.ts";
import { RADIUS, SPACE, TYPE } from "../../lib/tokens.ts";
import { inline } from "../../visitors/style.ts";
import type { VisitorTexts } from "../../visitors/texts/en.ts";

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

/** Between facts. No line begins with it. */
const DOT = "\u00a0· ";

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
      : `<p>${text(filled(look.texts.share.from, { name: `\u2068${share.from}\u2069` }))}</p>`;
  const soft = `${title === entry.name || entry.id === ITEMS ? "" : bdi(entry.name) + DOT}${text(facts.replaceAll(" · ", DOT))}`;
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
  const shown = filled(leftOf, {
    left: countWords(look, downloadsLeft(terms)),
    most: countWords(look, maxDownloads),
  });
  return `${end}<dt>${text(left)}</dt><dd>${text(shown)}</dd>`;
}

const RULES = `
.icons{position:absolute}
.icon{flex:none;width:1.5rem;height:1.5rem;fill:none;stroke:var(--soft);stroke-width:1.5;stroke-linejoin:round;stroke-linecap:round}
.icon.folder{stroke:var(--accent-ink);fill:color-mix(in srgb,var(--accent) 14%,transparent)}
.path ol{display:flex;flex-wrap:wrap;gap:.125rem .25rem;list-style:none;margin:0 0 ${SPACE.md};padding:0;font-size:${TYPE.size.sm}}
.path li{max-width:100%;overflow-wrap:anywhere}.path li+li:before{content:"/";color:var(--soft);margin:0 .375rem 0 .125rem}
.path a{display:inline-block;padding:.25rem 0}
.head{display:flex;gap:${SPACE.md};align-items:flex-start}
.head>div{min-width:0;flex:1}.head h1{margin:0 0 .125rem}.head p+p{margin-top:.125rem}
.head .tile{flex:none;display:grid;place-items:center;width:3rem;height:3rem;border-radius:${RADIUS.lg};background:var(--ground);border:1px solid var(--line)}
.head .tile .icon{stroke:var(--accent-ink)}
.say{margin-top:${SPACE.sm}}
.view{margin:1.5rem 0 0}
.view img,.view video{display:block;max-width:100%;max-height:70vh;margin:0 auto;border-radius:${RADIUS.md}}
.view img{background:repeating-conic-gradient(var(--ground) 0 25%,transparent 0 50%) 0 0/20px 20px}
.view video,.view audio{width:100%}
.view video{aspect-ratio:auto 16/9}
.view iframe{display:block;width:100%;height:min(60vh,32rem);border:1px solid var(--line);border-radius:${RADIUS.md};background:var(--card);color-scheme:light dark}
.view figcaption{margin-top:.375rem;color:var(--soft);font-size:${TYPE.size.sm}}
.facts{display:grid;grid-template-columns:auto 1fr;gap:.625rem 1.5rem;margin:1.75rem 0 0;padding:1.25rem 0 0;border-top:1px solid var(--line);font-size:${TYPE.size.sm}}
.facts dt{color:var(--soft)}.facts dd{margin:0;min-width:0;overflow-wrap:anywhere}
.terms{display:flex;flex-wrap:wrap;gap:.125rem .5rem;margin:.75rem 0 0;font-size:${TYPE.size.sm}}.terms dt{color:var(--soft)}.terms dd{margin:0 .75rem 0 0}
.facts code{font:${TYPE.size.sm}/1.6 ${TYPE.mono};user-select:all;-webkit-user-select:all;overflow-wrap:anywhere}
.facts .wide{grid-column:1/-1}
.copy[hidden]{display:none!important}.facts .copy{min-height:2rem;margin:0 0 0 .5rem;padding:.125rem .625rem;background:none;color:var(--accent-ink);font-size:${TYPE.size.sm};vertical-align:middle}
.list{list-style:none;margin:1.5rem 0 0;padding:0;border-top:1px solid var(--line)}
.list li{display:flex;align-items:center;border-bottom:1px solid var(--line)}
.list .get{flex:none;display:grid;place-items:center;width:2.75rem;height:2.75rem;color:inherit}.list .get:hover{background:var(--ground)}.get .icon{width:1.25rem;height:1.25rem;stroke:var(--accent-ink)}
.list .entry{flex:1;min-width:0;display:grid;grid-template-columns:1.5rem minmax(0,1fr) auto auto;gap:0 1rem;align-items:center;padding:.625rem .375rem;color:inherit;text-decoration:none}
.list .entry:hover{background:var(--ground)}.list .entry:hover bdi{text-decoration:underline}
.list a:focus-visible{outline-offset:-3px}
.list bdi{overflow-wrap:anywhere}.list span,.list time{color:var(--soft);font-size:${TYPE.size.sm};white-space:nowrap;font-variant-numeric:tabular-nums;text-align:end}
.list time{min-width:6.5rem}
.list .thumb{position:relative;display:grid;place-items:center;width:1.5rem;height:1.5rem;min-width:0}
.thumb img{position:absolute;inset:0;width:100%;height:100%;object-fit:cover;border-radius:${RADIUS.sm}}
@media(min-width:561px){.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(9rem,1fr));gap:${SPACE.md};padding-top:${SPACE.md}}
.list.tiles li{position:relative;border:0}.tiles .get{position:absolute;inset-block-start:.5rem;inset-inline-end:.5rem;border-radius:${RADIUS.md};background:var(--card)}
.list.tiles .entry{grid-template-columns:minmax(0,1fr);gap:.125rem;justify-items:start;height:100%;align-content:start;padding:.375rem;border-radius:${RADIUS.lg}}
.list.tiles .entry>.icon,.tiles .thumb{width:100%;height:auto;aspect-ratio:1;border-radius:${RADIUS.md};background:var(--ground)}
.tiles .entry>.icon{padding:34%}.tiles .thumb .icon{width:32%;height:32%}
.list.tiles bdi,.list.tiles .entry>span{grid-column:1}.tiles bdi{font-size:${TYPE.size.sm}}.tiles .entry>time{display:none}}
.pager{display:flex;flex-wrap:wrap;gap:.75rem;align-items:center;justify-content:space-between;margin-top:${SPACE.lg}}
.pager .button{margin:0}.quiet{background:none;color:var(--accent-ink)}
.none{margin:1.5rem 0 0;padding:2.5rem 1rem;border:1px dashed var(--soft);border-radius:${RADIUS.lg};text-align:center;color:var(--soft)}
@media(max-width:560px){.facts{grid-template-columns:1fr;gap:.125rem}.facts dd+dt{margin-top:.625rem}main>.button{width:100%}
.list .entry{grid-template-columns:1.5rem minmax(0,1fr);gap:0 .75rem}.list .entry>.icon,.list .thumb{grid-row:1/3}.list bdi,.list .entry>span{grid-column:2}.list .entry>span{text-align:start}.list .entry>.thumb{grid-column:1}.list time{display:none}}
@media(forced-colors:active){.icon{stroke:currentColor!important}}
`.replaceAll("\n", "");

export const SHARE_STYLES = [inline(RULES)];

const COPY = `
for(const b of document.querySelectorAll(".copy"))if(navigator.clipboard){b.hidden=false;b.addEventListener("click",()=>navigator.clipboard.writeText(b.dataset.text).then(()=>{b.textContent=b.dataset.done;setTimeout(()=>{b.textContent=b.dataset.label},2000)}))}
`.trim();

/** Takes away what a browser can't show. A network that fails later leaves a player (code 2). */
const HIDE = `
for(const m of document.querySelectorAll(".view img,.view video,.view audio")){const f=()=>{if(!m.error||m.error.code>2)m.parentNode.remove()};m.addEventListener("error",f);if(m.error||m.complete&&!m.naturalWidth)f()}
`.trim();

/** Shows the icon of a file without a thumbnail. */
const UNCOVER = `
for(const i of document.querySelectorAll(".thumb img")){const f=()=>i.remove();i.addEventListener("error",f);if(i.complete&&!i.naturalWidth)f()}
`.trim();

export const FOLDER_SCRIPTS = [inline(UNCOVER), LOCAL_TIMES];

/** Arrows lead to the files around. Those of a player are its own. */
const STEPS = `
addEventListener("keydown",e=>{if(e.altKey||e.ctrlKey||e.metaKey||e.target.closest("video,audio,input"))return;const k={ArrowLeft:"prev",ArrowRight:"next"}[e.key],a=k&&document.querySelector(".pager a[rel~="+k+"]");if(a)a.click()})
`.trim();

export const SHARE_SCRIPTS = [inline(COPY), inline(HIDE), inline(STEPS), LOCAL_TIMES];

export type IconName = FileKind | "folder" | "download";

const SHEET = "M6 2.75h8.5L19.25 7.5v13.75H6zM14.25 3v4.75H19";
const SHAPES: Readonly<Record<IconName, string>> = {
  download: "M12 4v11.5M7 11l5 5 5-5M4.5 20h15",
  folder: "M2.75 6.5v12.75h18.5V7.75h-9l-2.5-3H2.75z",
  picture: "M3 4.5h18v15H3zM3 16.5l5-5 4.5 4.5 3-3L21 17.5M15.5 9.25a1 1 0 1 0 .01 0",
  video: "M3 5h18v14H3zM10 9v6l5-3z",
  audio:
    "M9 18V5.5l10.5-2V16M9 18a2.75 2.25 0 1 1-5.5 0A2.75 2.25 0 0 1 9 18m10.5-2a2.75 2.25 0 1 1-5.5 0 2.75 2.25 0 0 1 5.5 0",
  pdf: `${SHEET}M9 17.5c2-1 4-6 3.25-7.75-.5-1-1.25 0-.75 1.75.75 2.5 2.5 4 4.25 3.75 1-.25.5-1.25-1-1-2.25.25-4.5 1.25-5.75 3.25`,
  text: `${SHEET}M9 11.5h7M9 14.5h7M9 17.5h4.5`,
  document: `${SHEET}M9 8.5h2.5M9 11.5h7M9 14.5h7M9 17.5h7`,
  table: "M3 4.5h18v15H3zM3 9.5h18M3 14.5h18M9 4.5v15M15 4.5v15",
  slides: "M3 4h18v12H3zM12 16v4.5M8 20.5h8M7.5 12.5v-2M12 12.5V7.5M16.5 12.5v-3",
  archive: "M3.5 8.5h17v12h-17zM2.75 3.75h18.5V8.5H2.75zM9.5 12.25h5",
  program: "M3 4.5h18v15H3zM7 9l3 3-3 3M12.5 15.25H17",
  other: SHEET,
};

/** Hidden definitions, for the body of the page. */
export const iconsOf = (names: Iterable<IconName>): string =>
  `<svg width="0" height="0" class="icons" aria-hidden="true">${[...new Set(names)]
    .map((name) => `<symbol id="i-${name}" viewBox="0 0 24 24"><path d="${SHAPES[name]}"/></symbol>`)
    .join("")}</svg>`;

export const icon = (name: IconName): string =>
  `<svg class="icon ${name}" aria-hidden="true"><use href="#i-${name}"/></svg>`;

/** The pages have a word for each. */
export type FileKind = keyof VisitorTexts["share"]["kinds"];

const BY_TYPE: readonly [RegExp, FileKind][] = [
  [/^image\//, "picture"],
  [/^video\//, "video"],
  [/^audio\//, "audio"],
  [/^application\/pdf$/, "pdf"],
  [/^text\/csv$|spreadsheet|ms-excel|numbers/, "table"],
  [/presentation|powerpoint|keynote/, "slides"],
  [/wordprocessing|msword|opendocument\.text|rtf$|epub|pages$/, "document"],
  [/zip|x-tar|gzip|bzip2|x-xz|zstd|x-7z|rar|compressed/, "archive"],
  [/^text\/|^application\/(?:json|xml|yaml|toml|sql)/, "text"],
  [/x-msdownload|x-executable|x-sh$|java-archive|android\.package|x-apple-diskimage|debian/, "program"],
];

const BY_EXTENSION: Readonly<Record<string, FileKind>> = Object.fromEntries(
  (
    [
      ["picture", "heic heif jxl tif tiff psd raw cr2 nef dng svg ico"],
      ["video", "mkv avi mov m4v wmv"],
      ["audio", "flac opus m4a aif aiff mid"],
      ["document", "doc docx odt rtf pages epub"],
      ["table", "xls xlsx ods csv tsv numbers"],
      ["slides", "ppt pptx odp key"],
      ["archive", "zip tar gz tgz bz2 xz zst 7z rar iso"],
      ["text", "txt md log ini conf cfg toml yml yaml json"],
      ["program", "exe msi dmg pkg deb rpm apk jar appimage sh bat"],
    ] as const
  ).flatMap(([kind, extensions]) => extensions.split(" ").map((extension) => [extension, kind])),
);

/** Only for words and icons: names and types are the uploader's. */
export function kindOf({ name, mimeType }: Pick<StoredFile, "name" | "mimeType">): FileKind {
  for (const [pattern, kind] of BY_TYPE) if (pattern.test(mimeType)) return kind;
  const extension = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  return Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension]! : "other";
}
