/** Everything that a report shows, requested at once. */
import { useQuery } from "@tanstack/react-query";
import type { Trend } from "../base/api.ts";
import { type Span, startOfBucket, type Unit } from "./buckets.ts";
import { endsOpen } from "./chart/series.ts";
import { type Frame, frameOf } from "./frame.ts";
import { compareOf, earlierOf, type ReportSearch } from "./range.ts";
import { isDetailed, listQuery, type Place, trendQuery } from "./report-queries.ts";

export type Report = Frame & {
  trend: Trend | undefined;
  earlier: Trend | undefined;
  /** Whether details are recorded. */
  isDetailed: boolean | undefined;
  /** When clicks were first recorded as the filter asks for them, if the chart begins earlier. */
  detailsFrom: string | undefined;
  /** Clicks of the shown days whose details were lost. */
  detailsLost: number;
  /** The first instant of the days of the time zone, if the chart begins before it. */
  zoneSince: string | undefined;
  /** The chart belongs to the previous request. */
  isTrendStale: boolean;
  error: Error | null;
};

/** Of a link, or of all that the search finds. */
export function useReport(place: Place | null, search: ReportSearch): Report {
  const frame = frameOf(search, place);
  const { span, unit, visitors, shown, filter } = frame;
  const requested = { span, visitors, filter };
  const trend = useQuery(trendQuery(requested, unit, compareOf(search)));
  const referrers = useQuery(listQuery("site", { ...requested, span: shown }));
  return {
    ...frame,
    trend: trend.data,
    isTrendStale: trend.isPlaceholderData,
    earlier: trend.data?.compared,
    isDetailed: isDetailed(referrers.data),
    detailsFrom: trend.data?.details_from,
    detailsLost: referrers.data?.details_lost ?? 0,
    zoneSince: trend.data?.zone_since,
    error: [trend, referrers].find(({ error }) => error !== null)?.error ?? null,
  };
}

export type ListComparison = {
  /** The spans whose counts are compared; undefined until the chart is there. */
  spans: { now: Span; before: Span } | undefined;
  /** The unit of what is not over and so counts in neither; undefined: all counts. */
  open: Unit | undefined;
};

/** What the lists compare: the same as the sum of the chart. Undefined: nothing. */
export function listComparison(report: Report, search: ReportSearch): ListComparison | undefined {
  const { trend, earlier, isTrendStale, shown, span, unit } = report;
  if (search.vs === "none") return undefined;
  if (trend === undefined || earlier === undefined || isTrendStale)
    return { spans: undefined, open: undefined };
  const end = endsOpen(trend.labels, earlier)
    ? Math.min(shown.end, startOfBucket(trend.labels[earlier.labels.length]!))
    : shown.end;
  if (end <= shown.start) return undefined;
  const now = { start: shown.start, end };
  return {
    spans: { now, before: earlierOf(search, span, unit, now) },
    open: end < shown.end ? unit : undefined,
  };
}
