/**
 * Pages for visitors of a share, without scripts. `text` escapes everything from outside. Links are relative, such as
 * `?file=12`, so none contains the code.
 */
import type { Folder, StoredFile } from "../tree/entry.ts";

/** Safe in a page. */
type Html = { html: string };

const ESCAPES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const text = (plain: string): string => plain.replace(/[&<>"']/g, (letter) => ESCAPES[letter]!);
/** Isolates the name's direction of writing. */
const bdi = (name: string): string => `<bdi>${text(name)}</bdi>`;

const STYLE = `
:root{color-scheme:light dark;--ink:#1c2024;--soft:#5f6873;--line:#e2e6ea;--ground:#f5f6f8;--card:#fff;--accent:#1757c2;--warn:#b3261e;--right:#1a7f37}
@media(prefers-color-scheme:dark){:root{--ink:#e8eaed;--soft:#a0a8b2;--line:#30363d;--ground:#14171a;--card:#1d2125;--accent:#8ab4f8;--warn:#f2b8b5;--right:#7ee2a8}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:44rem;margin:0 auto;padding:clamp(1rem,6vw,4rem) 1rem}
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:clamp(1rem,4vw,2rem)}
h1{font-size:1.35rem;line-height:1.3;margin:0 0 .25rem;overflow-wrap:anywhere}
p{margin:0}.soft{color:var(--soft);font-size:.9rem}.warn{color:var(--warn);margin-top:.75rem}.right{color:var(--right);margin-top:.75rem}
a{color:var(--accent)}a:focus-visible,button:focus-visible,input:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
nav{margin-bottom:.75rem;font-size:.9rem;overflow-wrap:anywhere}
ul{list-style:none;margin:1rem 0 0;padding:0;border-top:1px solid var(--line)}
li{border-bottom:1px solid var(--line)}
li a{display:flex;gap:1rem;justify-content:space-between;align-items:baseline;padding:.65rem .25rem;text-decoration:none}
li a:hover{background:var(--ground)}li bdi{overflow-wrap:anywhere;min-width:0}
li span{color:var(--soft);font-size:.85rem;white-space:nowrap}
.button,button{display:inline-block;margin-top:1.25rem;padding:.6rem 1.25rem;border:0;border-radius:8px;background:var(--accent);color:var(--card);font:inherit;font-weight:600;text-decoration:none;cursor:pointer}
label{display:block;margin-top:1rem;font-size:.9rem;color:var(--soft)}
input{width:100%;margin-top:.25rem;padding:.6rem .75rem;border:1px solid var(--soft);border-radius:8px;background:var(--ground);color:var(--ink);font:inherit}
`;

const styleHash = new Bun.CryptoHasher("sha256").update(STYLE).digest("base64");

const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

type Extras = {
  /** Shown below the title by previews. */
  description?: string;
  /** Navigated to at once. A download leaves the page in place. */
  next?: string;
};

const page = (title: string, body: Html, { description = "", next }: Extras = {}): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta property="og:title" content="${text(title)}">
<meta property="og:description" content="${text(description)}">${
  next === undefined ? "" : `\n<meta http-equiv="refresh" content="0; url=${text(next)}">`
}
<title>${text(title)}</title>
<style>${STYLE}</style>
</head>
<body><main><div class="card">
${body.html}
</div></main></body>
</html>
`;

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
  page(
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
  page(
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
  return page(folder.name, {
    html: `${nav}<h1>${bdi(folder.name)}</h1>\n<p class="soft">${soft}</p>\n${list}\n${more}`,
  });
}

const adviceFor = (hasFiles: boolean): string =>
  hasFiles ? "Choose a file to download it." : "Choose a folder to open it.";

/** Reveals nothing of the protected content. `problem`: why the last try was refused. */
export const passwordPage = (problem: string | null): string =>
  page("Password needed", {
    html: `<h1>Password needed</h1>
<p class="soft">This share is protected by a password.</p>
${problem === null ? "" : `<p class="warn" role="alert">${text(problem)}</p>`}
<form method="post">
<label>Password<input type="password" name="password" required autofocus autocomplete="current-password" maxlength="1024"></label>
<button>Open</button>
</form>`,
  });

export const messagePage = (title: string, sentence: string): string =>
  page(title, { html: `<h1>${text(title)}</h1>\n<p class="soft">${text(sentence)}</p>` });

export const answerPage = (
  html: string,
  status: number,
  request: Request,
  more: Record<string, string> = {},
): Response =>
  new Response(request.method === "HEAD" ? null : html, {
    status,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": PAGE_POLICY,
      "Cache-Control": "private, no-store",
      "X-Robots-Tag": "noindex, nofollow",
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
      ...more,
    },
  });
