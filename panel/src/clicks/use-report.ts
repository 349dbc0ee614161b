/** Everything that a report shows, requested at once. */
import { useQueries, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useCallback } from "react";
import type { Trend } from "../base/api.ts";
import { type Frame, frameOf } from "./frame.ts";
import { compareOf, type ReportSearch } from "./range.ts";
import { filterFor, isDetailed, listQuery, type Place, trendQuery } from "./report-queries.ts";

const NONE: string[] = [];

export type Report = Frame & {
  trend: Trend | undefined;
  earlier: Trend | undefined;
  others: { name: string; trend: Trend }[];
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

/** Links that are compared with. The same object until an answer changes. */
function useOthers({ with: codes = NONE }: ReportSearch, frame: Frame, domain: string | undefined) {
  const { span, unit, visitors } = frame;
  const combine = useCallback(
    (results: readonly UseQueryResult<Trend>[]) => ({
      trends: results.flatMap(({ data }, at) => (data ? [{ name: codes[at]!, trend: data }] : [])),
      error: results.find(({ error }) => error !== null)?.error ?? null,
    }),
    [codes],
  );
  return useQueries({
    queries: codes.map((code) =>
      trendQuery({ span, visitors, filter: filterFor({ code, domain }, frame.filter) }, unit),
    ),
    combine,
  });
}

/** Of a link, or of all that the search finds. */
export function useReport(place: Place | null, search: ReportSearch): Report {
  const frame = frameOf(search, place);
  const { span, unit, visitors, shown, filter } = frame;
  const requested = { span, visitors, filter };
  const trend = useQuery(trendQuery(requested, unit, compareOf(search)));
  const others = useOthers(search, frame, place?.domain);
  const referrers = useQuery(listQuery("site", { ...requested, span: shown }));
  return {
    ...frame,
    trend: trend.data,
    isTrendStale: trend.isPlaceholderData,
    earlier: trend.data?.compared,
    others: others.trends,
    isDetailed: isDetailed(referrers.data),
    detailsFrom: trend.data?.details_from,
    detailsLost: referrers.data?.details_lost ?? 0,
    zoneSince: trend.data?.zone_since,
    error: [trend, referrers, others].find(({ error }) => error !== null)?.error ?? null,
  };
}
