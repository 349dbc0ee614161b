import { readReportSearch, type ReportSearch } from "../clicks/range.ts";
import { type LinkTab, readLinkTab } from "../links/link-tab.ts";
import { parsePanelPath } from "../../../src/lib/panel-path.ts";

type Raw = Record<string, unknown>;

/**
 * What `read` leaves out of an address stays out: the router merges what `validateSearch` returns into the raw search,
 * so a page would get the values that were just refused.
 */
export const strictSearch = <Read extends (raw: Raw) => object>(read: Read) =>
  ((raw) => ({
    ...Object.fromEntries(Object.keys(raw).map((key) => [key, undefined])),
    ...read(raw),
  })) as Read;

/** `to` follows the sign-in. */
export function readSignIn({ to, oidc }: Raw): { to?: string; oidc?: string } {
  const path = parsePanelPath(to);
  return { ...(path !== null && { to: path }), ...(typeof oidc === "string" && { oidc }) };
}

export const readQ = ({ q }: Record<string, unknown>): { q?: string } =>
  typeof q === "string" && q !== "" ? { q } : {};

/** What another app shared (src/panel/web-app.ts). */
export function readShared(search: Record<string, unknown>) {
  const { url, text, title, files } = search;
  return {
    ...(typeof url === "string" && { url }),
    ...(typeof text === "string" && { text }),
    ...(typeof title === "string" && { title }),
    ...(typeof files === "number" && { files }),
  };
}

export function readLinkPageSearch(
  search: Record<string, unknown>,
): ReportSearch & { domain?: string; tab?: LinkTab } {
  const tab = readLinkTab(search["tab"]);
  // `domain` says which link it is.
  const { domain: _, ...report } = readReportSearch(search);
  return {
    ...report,
    ...(typeof search["domain"] === "string" && { domain: search["domain"] }),
    ...(tab && { tab }),
  };
}
