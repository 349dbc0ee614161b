/**
 * Pages for codes that lead nowhere. Bodies and headers are made once for each language and reason, until the
 * instance's name or colour changes.
 */
import type { Language } from "./language.ts";
import type { Look, VisitorPages } from "./look.ts";
import { htmlPage, text } from "./page.ts";

/**
 * `unknown` is also said of what strangers must not learn of, such as a link that has not started. What has expired or
 * is used up was public before.
 */
export type LostReason = "root" | "unknown" | "expired" | "usedUp";

export type LostPages = {
  /** For navigations of browsers only. */
  answer(request: Request, reason: LostReason): Response;
};

/** Browsers say so over HTTPS and to localhost. */
export const isNavigation = ({ headers }: { headers: Pick<Headers, "get"> }): boolean =>
  headers.get("sec-fetch-dest") === "document";

type Prepared = Pick<Look, "instanceName" | "accentColor"> & { body: Blob; headers: Headers };

/**
 * `Vary`: a cache must not give the page to others. `CDN-Cache-Control` (RFC 9213) is for those that ignore `Vary`.
 * The answer without a page has neither, so at worst a browser gets that one from a cache.
 */
const CACHING = {
  "Cache-Control": "public, max-age=60",
  "CDN-Cache-Control": "no-store",
  Vary: "Sec-Fetch-Dest, Accept-Language",
};

export function createLostPages(pages: VisitorPages): LostPages {
  const prepared: Record<LostReason, Partial<Record<Language, Prepared>>> = {
    root: {},
    unknown: {},
    expired: {},
    usedUp: {},
  };

  return {
    answer(request, reason) {
      const look = pages.look(request);
      let page = prepared[reason][look.language];
      if (page?.instanceName !== look.instanceName || page.accentColor !== look.accentColor) {
        page = prepared[reason][look.language] = prepare(look, reason);
      }
      return new Response(page.body, { status: 404, headers: page.headers });
    },
  };
}

/** A response copies a text, and refers to a blob. */
function prepare(look: Look, reason: LostReason): Prepared {
  const { html, policy } = lostPage(look, reason);
  const headers = new Headers({
    "Content-Type": "text/html; charset=utf-8",
    ...CACHING,
    "Content-Security-Policy": policy,
  });
  const { instanceName, accentColor } = look;
  return { instanceName, accentColor, body: new Blob([html]), headers };
}

function lostPage(look: Look, reason: LostReason) {
  const { title, sentence } = look.texts.lost[reason];
  return htmlPage(look, {
    title,
    body: {
      html: `<p class="soft" lang="en">404 · Not Found</p>
<h1>${text(title)}</h1>
<p class="soft">${text(sentence)}</p>`,
    },
    bare: true,
  });
}
