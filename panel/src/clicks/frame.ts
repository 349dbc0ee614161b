/** The queries of a report, from the address of its page. */
import type { QueryClient } from "@tanstack/react-query";
import { localNow } from "./zone.ts";
import { type Span, startOfUnit, type Unit } from "./buckets.ts";
import { compareOf, partOf, type ReportSearch, spanOf, unitOf, type Visitors } from "./range.ts";
import type { Filter } from "./filter.ts";
import { filterFor, listQuery, newestQuery, type Place, trendQuery } from "./report-queries.ts";

export type Frame = {
  span: Span;
  unit: Unit;
  visitors: Visitors;
  part: Span | undefined;
  /** The span that the lists cover. */
  shown: Span;
  /** The span is not over. */
  isOpen: boolean;
  filter: Filter;
};

/** @param place null: of all links that the search finds */
export function frameOf(
  search: ReportSearch,
  place: Place | null,
  visitors: Visitors = search.visitors ?? "human",
): Frame {
  const requested = spanOf(search);
  const unit = unitOf(search, requested);
  // The first week or month of a chart is whole unless dates were chosen.
  const start = search.from === undefined ? startOfUnit(requested.start, unit) : requested.start;
  const span = { start, end: requested.end };
  const part = partOf(search, span);
  const shown = part ?? span;
  const isOpen = shown.end > localNow();
  return { span, unit, visitors, part, shown, isOpen, filter: filterFor(place, search) };
}

/** Requests a link's numbers while its page is still loading. */
export function prefetchLinkReport(queries: QueryClient, place: Place, search: ReportSearch): void {
  const { span, unit, visitors, shown, filter } = frameOf(search, place);
  const requested = { span: shown, visitors, filter };
  void queries.prefetchQuery(trendQuery({ ...requested, span }, unit, compareOf(search)));
  for (const dimension of ["site", "country", "device"] as const)
    void queries.prefetchQuery(listQuery(dimension, requested));
  void queries.prefetchQuery(newestQuery(requested));
}
