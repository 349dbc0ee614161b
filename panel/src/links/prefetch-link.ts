import type { QueryClient } from "@tanstack/react-query";
import { prefetchLinkReport } from "../clicks/frame.ts";
import type { ReportSearch } from "../clicks/range.ts";
import { type LinkPlace, linkQuery, listedLink } from "./link-queries.ts";

/** Asks for a link and its numbers while its page is still on the way. */
export function prefetchLink(queries: QueryClient, place: LinkPlace, report: ReportSearch): void {
  void queries.prefetchQuery(linkQuery(place));
  // Of an address that somebody typed, the page asks once the link is known: it may be none.
  if (listedLink(queries, place) !== undefined) prefetchLinkReport(queries, place, report);
}
