/** The page of a link for a host that serves files only. It leads on by itself. */
import { toLocation } from "../../links/cache/cached-link.ts";
import { readOptions } from "../../links/link/field-values.ts";
import { messagePage } from "../../visitors/messages.ts";
import type { Look } from "../../visitors/look.ts";
import { text } from "../../visitors/page.ts";

/** A row of `links`. */
export type PagedLink = {
  target: string;
  expires_at: number | null;
  password_hash: string | null;
  options: string | null;
};

/** `locked`, `limited`: a server has to decide. The others respond as if there were no link, like a server. */
export type NoPage = "locked" | "limited" | "held" | "expired" | "not_started";

export type StaticResponse =
  /** Until then (epoch milliseconds), afterwards to the other one. A page can't evaluate rules. */
  { to: string; until: number | null; afterwards: string | null } | { reason: NoPage };

/** The target of a link with a reason is shown to nobody. */
export function staticResponse(link: PagedLink, now: number): StaticResponse {
  const { held, startsAt, maxClicks, fallbackUrl } = readOptions(link.options);
  if (held !== null) return { reason: "held" };
  if (link.password_hash !== null) return { reason: "locked" };
  const fallback = fallbackUrl === null ? null : toLocation(fallbackUrl);
  const isOver = link.expires_at !== null && link.expires_at <= now;
  if (isOver && fallback !== null) return { to: fallback, until: null, afterwards: null };
  if (isOver) return { reason: "expired" };
  if (startsAt !== null && startsAt > now) return { reason: "not_started" };
  if (maxClicks !== null) return { reason: "limited" };
  return { to: toLocation(link.target), until: link.expires_at, afterwards: fallback };
}

const HEAD = `<!doctype html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex"><meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light dark">`;

/** Small: there is one for each link. Only a script knows when a link ends, so such a page needs one. */
export function redirectPage({ to, until, afterwards }: Exclude<StaticResponse, { reason: NoPage }>): string {
  const url = text(to);
  if (until === null) {
    return `${HEAD}<meta http-equiv="refresh" content="0; url=${url}"><link rel="canonical" href="${url}"><title>→</title></head><body><p>→ <a href="${url}">${url}</a></p></body></html>\n`;
  }
  const other = afterwards === null ? "" : ` data-then="${text(afterwards)}"`;
  return `${HEAD}<title>→</title></head><body><p hidden>→ <a href="${url}"${other}></a></p><p>⌛ ${new Date(until).toISOString()}</p><script>const a=document.querySelector("a");if(Date.now()>=${until})a.href=a.dataset.then??"";if(a.getAttribute("href")){a.textContent=a.href;a.parentNode.hidden=false;location.replace(a.href)}</script></body></html>\n`;
}

/** Makes the page for links that need a server. */
export const waitingPage = (look: Look): string => messagePage(look, look.texts.share.notNow).html;
