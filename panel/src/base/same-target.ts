/** Links that make a new one needless. */
import { responseOf, api, type Link } from "./api.ts";

/** Links looked at for one that leads to exactly the target. */
const MOST = 10;
/** Longer texts the server does not search for. */
const LONGEST = 512;
const SHORT_PATH = /^\/[\w.\-/]{1,128}$/;

/** `isOwn`: the text is the short URL of this link, not its target. */
export type KnownLink = { link: Link; isOwn: boolean };

async function linksWith(search: string, signal: AbortSignal | undefined): Promise<Link[]> {
  const query = { search: search.slice(0, LONGEST), domain: "*", page_size: MOST, cursor: "" };
  return (await responseOf(api.GET("/admin/v1/links", { params: { query }, ...(signal && { signal }) })))
    .data;
}

const hrefOf = (text: string): string => (URL.canParse(text) ? new URL(text).href : text);
const withoutScheme = (url: string): string => url.replace(/^https?:\/\//i, "");

/**
 * The link whose short URL this is, else one that leads to it. By two bounded searches: among many links whose texts
 * hold the target, one may be missed.
 */
export async function findKnownLink(target: string, signal?: AbortSignal): Promise<KnownLink | null> {
  if (!URL.canParse(target)) return null;
  const { pathname } = new URL(target);
  if (SHORT_PATH.test(pathname)) {
    const links = await linksWith(pathname.slice(1), signal);
    const own = links.find((link) => withoutScheme(link.short_url) === withoutScheme(target));
    if (own !== undefined) return { link: own, isOwn: true };
  }
  const links = await linksWith(target, signal);
  const same = links.find((link) => hrefOf(link.target) === hrefOf(target));
  return same === undefined ? null : { link: same, isOwn: false };
}
