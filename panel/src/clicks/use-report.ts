/** Everything that a report shows, requested at once. */
import { useQueries, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useCallback } from "react";
import type { Trend } from "../base/api.ts";
import { type Frame, frameOf } from "./frame.ts";
import { earlierOf, type ReportSearch } from "./range.ts";
import { isDetailed, listQuery, type Place, trendQuery } from "./report-queries.ts";

const NONE: string[] = [];

export type Report = Frame & {
  trend: Trend | undefined;
  earlier: Trend | undefined;
  others: { name: string; trend: Trend }[];
  /** Whether details are recorded. */
  isDetailed: boolean | undefined;
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
    queries: codes.map((code) => trendQuery({ code, domain }, { span, visitors }, unit)),
    combine,
  });
}

/** Of a link, or of all. */
export function useReport(place: Place | null, search: ReportSearch): Report {
  const frame = frameOf(search);
  const { span, unit, visitors, shown } = frame;
  const earlierSpan = earlierOf(search, span);
  const trend = useQuery(trendQuery(place, { span, visitors }, unit));
  const earlier = useQuery({
    ...trendQuery(place, { span: earlierSpan ?? span, visitors }, unit),
    enabled: earlierSpan !== undefined,
  });
  const others = useOthers(search, frame, place?.domain);
  const referrers = useQuery(listQuery("referrer", place, { span: shown, visitors }));
  return {
    ...frame,
    trend: trend.data,
    isTrendStale: trend.isPlaceholderData,
    earlier: earlierSpan && earlier.data,
    others: others.trends,
    isDetailed: isDetailed(referrers.data),
    error: [trend, referrers, others].find(({ error }) => error !== null)?.error ?? null,
  };
}
