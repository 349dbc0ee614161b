/** The queries of a report, from the address of its page. */
import type { QueryClient } from "@tanstack/react-query";
import { serverNow } from "../base/server-clock.ts";
import { type Span, startOfUnit, type Unit } from "./buckets.ts";
import { earlierOf, partOf, type ReportSearch, spanOf, unitOf, type Visitors } from "./range.ts";
import { listQuery, newestQuery, type Place, trendQuery } from "./report-queries.ts";

export type Frame = {
  span: Span;
  unit: Unit;
  visitors: Visitors;
  part: Span | undefined;
  /** The span that the lists cover. */
  shown: Span;
  /** The span is not over. */
  isOpen: boolean;
};

export function frameOf(search: ReportSearch, visitors: Visitors = search.visitors ?? "human"): Frame {
  const asked = spanOf(search);
  const unit = unitOf(search, asked);
  // The first week or month of a chart is whole unless dates were chosen.
  const start = search.from === undefined ? startOfUnit(asked.start, unit) : asked.start;
  const span = { start, end: asked.end };
  const part = partOf(search, span);
  const shown = part ?? span;
  return { span, unit, visitors, part, shown, isOpen: shown.end > serverNow() };
}

/** Requests a link's numbers while its page is still loading. */
export function prefetchLinkReport(queries: QueryClient, place: Place, search: ReportSearch): void {
  const { span, unit, visitors, shown } = frameOf(search);
  const earlier = earlierOf(search, span);
  const asked = { span: shown, visitors };
  void queries.prefetchQuery(trendQuery(place, { span, visitors }, unit));
  if (earlier !== undefined) {
    void queries.prefetchQuery(trendQuery(place, { span: earlier, visitors }, unit));
  }
  for (const dimension of ["referrer", "country", "device"] as const)
    void queries.prefetchQuery(listQuery(dimension, place, asked));
  void queries.prefetchQuery(newestQuery(place, asked));
}
