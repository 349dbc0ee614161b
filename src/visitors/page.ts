/** The frame of all pages for visitors. They need no scripts. `text` escapes everything from outside. */
import { wholeResponse } from "../lib/whole-response.ts";
import type { Look } from "./look.ts";
import { MARK } from "./mark.ts";
import { ICON_PATH } from "./site-files.ts";
import { CONTROLS, FOOTER, type Inline, styleFor } from "./style.ts";

const ESCAPES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
export const text = (plain: string): string => plain.replace(/[&<>"']/g, (letter) => ESCAPES[letter]!);

export type PageParts = {
  /** Without the name of the instance. */
  title: string;
  /** Made by `text` where it is from outside. */
  content: string;
  /** Shown below the title by previews. */
  description?: string;
  /** Opened at once. A download leaves the page in place. */
  next?: string;
  /** More meta elements. */
  head?: string;
  /** `narrow` for a sentence or a form. */
  width?: "narrow" | "wide";
  /** No links and forms, which saves their style. */
  bare?: boolean;
  /** Added to the style of all pages. Make them once, not per request. */
  styles?: readonly Inline[];
  scripts?: readonly Inline[];
  /** Adds or replaces directives of the policy: `{"media-src": "'self'"}`. */
  policy?: Readonly<Record<string, string>>;
};

/** Pass it to `pageResponse`. */
export type VisitorPage = { html: string; policy: string };

export function htmlPage(look: Look, parts: PageParts): VisitorPage {
  const { title, content, description = "", next, head = "", width = "narrow" } = parts;
  const name = text(look.instanceName);
  const footer = footerOf(look);
  const { styles, scripts, policy } = frameOf(look, parts, footer !== "");
  const html = `<!doctype html>
<html lang="${look.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="description" content="${text(description)}">
<meta property="og:title" content="${text(title)}">
<meta property="og:description" content="${text(description)}">
<meta property="og:site_name" content="${name}">${
    next === undefined ? "" : `\n<meta http-equiv="refresh" content="0; url=${text(next)}">`
  }${head && `\n${head}`}
<title>${text(title)} · ${name}</title>
${styles}
</head>
<body><div class="page${width === "narrow" ? " narrow" : ""}">
<header class="site">${look.logo === null ? MARK : logoHtml(look.logo)}<bdi>${name}</bdi></header>
<main class="card">
${content}
</main>${footer}
</div>${scripts}</body>
</html>
`;
  return { html, policy };
}

type Frame = { styles: string; scripts: string; policy: string };

const NONE: readonly Inline[] = [];
/** By the own styles of a kind of page, then by what else they depend on. */
const frames = new WeakMap<readonly Inline[], { made: Frame; of: readonly unknown[] }>();

/** The last frame of pages with the same styles is kept: a page costs half as much to make. */
function frameOf({ accentColor }: Look, parts: PageParts, hasFooter: boolean): Frame {
  const { styles: own = NONE, scripts = NONE, policy: more, bare = false } = parts;
  const of = [accentColor, hasFooter, scripts, more, bare];
  const known = frames.get(own);
  if (known?.of.every((one, at) => one === of[at])) return known.made;
  const styles = [styleFor(accentColor), ...(bare ? [] : [CONTROLS]), ...(hasFooter ? [FOOTER] : []), ...own];
  const made = {
    styles: styles.map((style) => `<style>${style.text}</style>`).join("\n"),
    scripts: scripts.map((script) => `<script>${script.text}</script>`).join("\n"),
    policy: policyOf(styles, scripts, more),
  };
  frames.set(own, { made, of });
  return made;
}

/** Empty without an address. */
function footerOf({ texts, imprint, notice }: Look): string {
  const links = [
    [imprint, texts.site.imprint],
    [notice, texts.site.notice],
  ].filter(([url]) => url !== "");
  const shown = links.map(([url, name]) => `<a href="${text(url!)}" rel="noopener">${text(name!)}</a>`);
  return shown.length === 0 ? "" : `\n<footer>${shown.join(" ")}</footer>`;
}

const logoHtml = (version: string): string => `<img src="/${ICON_PATH}?logo=${version}" alt="">`;

/** `img-src`: the icon. */
function policyOf(
  styles: readonly Inline[],
  scripts: readonly Inline[],
  more: Readonly<Record<string, string>> = {},
): string {
  const hashes = (inlines: readonly Inline[]) => inlines.map(({ hash }) => hash).join(" ");
  const directives = {
    "default-src": "'none'",
    "style-src": hashes(styles),
    ...(scripts.length > 0 && { "script-src": hashes(scripts) }),
    "img-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
    ...more,
  };
  return Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join("; ");
}

export const pageResponse = (
  { html, policy }: VisitorPage,
  status: number,
  request: { method: string },
  more: Record<string, string> = {},
): Response => {
  const isHead = request.method === "HEAD";
  return wholeResponse(isHead ? null : html, {
    status,
    headers: {
      ...(isHead && { "Content-Length": String(Buffer.byteLength(html)) }),
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": policy,
      "Cache-Control": "private, no-store",
      "X-Robots-Tag": "noindex, nofollow",
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
      ...more,
    },
  });
};
