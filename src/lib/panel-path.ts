/**
 * Where the panel goes on after a sign-in, given in an address that anybody may have written: only to a page below the
 * panel's prefix, never to another site.
 */
const SOMEWHERE = "http://panel.invalid";

/** As the panel's router writes it: without the prefix, such as `/links?q=a`. Null for everything else. */
export function parsePanelPath(text: unknown): string | null {
  // Browsers drop tabs and line breaks, and read `\` as `/`.
  if (typeof text !== "string" || !text.startsWith("/") || /[\u0000-\u0020\u007f\\]/.test(text)) return null;
  const url = URL.parse(text, SOMEWHERE);
  if (url?.origin !== SOMEWHERE || isOfAnotherHost(url.pathname)) return null;
  return url.pathname + url.search + url.hash;
}

/** Also once the router has decoded the path. */
const isOfAnotherHost = (path: string): boolean => /^\/(?:[/\\]|%2f|%5c|%0|%1|%20)/i.test(path);
