import { readReportSearch, type ReportSearch } from "../clicks/range.ts";
import { type LinkTab, readLinkTab } from "../links/link-tab.ts";

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
