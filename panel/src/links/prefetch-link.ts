import type { QueryClient } from "@tanstack/react-query";
import { prefetchLinkReport } from "../clicks/frame.ts";
import type { ReportSearch } from "../clicks/range.ts";
import type { LinkPlace } from "../base/link-states.ts";
import { hostsQuery } from "./form/domains.ts";
import { linkQuery, listedLink } from "./link-queries.ts";

/**
 * Asks for a link, its numbers and the domains it may move to while its page is still on the way.
 *
 * @param report null if the page shows no numbers
 * @param since when it was opened, epoch ms
 */
export function prefetchLink(
  queries: QueryClient,
  place: LinkPlace,
  report: ReportSearch | null,
  since: number,
): void {
  const { errorUpdatedAt: refusedAt = 0 } = queries.getQueryState(linkQuery(place).queryKey) ?? {};
  // The page was faster, and there is no such link.
  if (refusedAt >= since) return;
  void queries.prefetchQuery(linkQuery(place));
  void queries.prefetchQuery(hostsQuery);
  // Of an address that somebody typed, the page asks once the link is known: it may be none.
  if (report !== null && listedLink(queries, place) !== undefined) prefetchLinkReport(queries, place, report);
}
