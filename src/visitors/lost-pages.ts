/**
 * Pages for codes that lead nowhere, made once for each language and reason until the instance's name, colour
 * or logo changes.
 */
import type { Look, VisitorPages } from "./look.ts";
import { htmlPage, text } from "./page.ts";

/**
 * `unknown` also covers what strangers must not learn of, such as a link that has not started. Expired and used-up
 * links were public before.
 */
export type LostReason = "root" | "unknown" | "expired" | "usedUp" | "waiting" | "takenDown";

type Visitor = { headers: Pick<Headers, "get"> };

/** One byte a character, as the server sends it. */
export type LostPage = {
  /** Header lines with CR LF. */
  fields: string;
  /** UTF-8. */
  content: string;
};

export type LostPages = ReturnType<typeof createLostPages>;

/** Browsers send it over HTTPS and to localhost. */
export const isNavigation = ({ headers }: Visitor): boolean => headers.get("sec-fetch-dest") === "document";

type Prepared = LostPage & Pick<Look, "instanceName" | "accentColor" | "logo">;

/**
 * `Vary` keeps a cache from giving the page to others; `CDN-Cache-Control` (RFC 9213) is for caches that ignore `Vary`.
 * The response without a page has neither: at worst a browser gets it from a cache.
 */
const FIELDS = [
  "Content-Type: text/html; charset=utf-8",
  "Cache-Control: public, max-age=60",
  "CDN-Cache-Control: no-store",
  "Vary: Sec-Fetch-Dest, Accept-Language",
];

export function createLostPages(pages: VisitorPages) {
  const prepared = new Map<string, Prepared>();

  return {
    /** Makes a page for navigations of browsers only. */
    page(visitor: Visitor, reason: LostReason): LostPage {
      const look = pages.look(visitor);
      const key = `${reason} ${look.language}`;
      const known = prepared.get(key);
      if (known !== undefined && isOf(known, look)) return known;
      const made = prepare(look, reason);
      prepared.set(key, made);
      return made;
    },
  };
}

const isOf = (known: Prepared, look: Look): boolean =>
  known.instanceName === look.instanceName &&
  known.accentColor === look.accentColor &&
  known.logo === look.logo;

function prepare(look: Look, reason: LostReason): Prepared {
  const { html, policy } = lostPage(look, reason);
  const { instanceName, accentColor, logo } = look;
  return {
    instanceName,
    accentColor,
    logo,
    fields: [...FIELDS, `Content-Security-Policy: ${policy}`, ""].join("\r\n"),
    content: Buffer.from(html).toString("latin1"),
  };
}

function lostPage(look: Look, reason: LostReason) {
  const { title, sentence } = look.texts.lost[reason];
  return htmlPage(look, {
    title,
    content: `<p class="soft" lang="en">${reason === "takenDown" ? "410 · Gone" : "404 · Not Found"}</p>
<h1>${text(title)}</h1>
<p class="soft">${text(sentence)}</p>`,
    bare: true,
  });
}
