/** Everything that a report shows, requested at once. */
import { useQuery } from "@tanstack/react-query";
import type { Trend } from "../base/api.ts";
import { type Frame, frameOf } from "./frame.ts";
import { compareOf, type ReportSearch } from "./range.ts";
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
