/** Everything that a report shows, requested at once. */
import { useQueries, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useCallback } from "react";
import type { DeviceReport, Place as Visited, Referrer, Trend } from "../base/api.ts";
import { type Frame, frameOf } from "./frame.ts";
import { earlierOf, type ReportSearch } from "./range.ts";
import {
  countriesQuery,
  devicesQuery,
  isDetailed,
  linkReportQuery,
  type Place,
  referrersQuery,
  trendQuery,
} from "./report-queries.ts";

const NONE: string[] = [];

export type Report = Frame & {
  trend: Trend | undefined;
  earlier: Trend | undefined;
  others: { name: string; trend: Trend }[];
  referrers: readonly Referrer[] | undefined;
  countries: readonly Visited[] | undefined;
  devices: DeviceReport | undefined;
  /** Whether details are recorded. */
  isDetailed: boolean | undefined;
  /** The lists belong to the previous request. */
  isStale: boolean;
  /** And the chart is. */
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

/** The lists below a chart. */
function useLists(place: Place | null, { shown, visitors }: Frame) {
  const asked = { span: shown, visitors };
  const countries = useQuery(countriesQuery(place, asked));
  const devices = useQuery(devicesQuery(place, asked));
  return { countries, devices };
}

export function useLinkReport(place: Place, search: ReportSearch): Report {
  const frame = frameOf(search);
  const { span, unit, visitors, shown } = frame;
  const earlierSpan = earlierOf(search, span);
  const whole = useQuery(linkReportQuery(place, { span, visitors }, unit));
  const part = useQuery({
    ...linkReportQuery(place, { span: shown, visitors }, unit),
    enabled: frame.part !== undefined,
  });
  const earlier = useQuery({
    ...trendQuery(place, { span: earlierSpan ?? span, visitors }, unit),
    enabled: earlierSpan !== undefined,
  });
  const others = useOthers(search, frame, place.domain);
  const { countries, devices } = useLists(place, frame);
  const listed = frame.part === undefined ? whole : part;
  return {
    ...frame,
    trend: whole.data?.data.trend,
    isTrendStale: whole.isPlaceholderData,
    earlier: earlierSpan && earlier.data,
    others: others.trends,
    referrers: listed.data?.data.top_referrers,
    countries: countries.data?.data,
    devices: devices.data?.data,
    isDetailed: isDetailed(whole.data),
    isStale: [listed, countries, devices].some((query) => query.isPlaceholderData),
    error: [whole, listed, countries, devices, others].find(({ error }) => error !== null)?.error ?? null,
  };
}

export function useTotalReport(search: ReportSearch): Report {
  const frame = frameOf(search);
  const { span, unit, visitors, shown } = frame;
  const earlierSpan = earlierOf(search, span);
  const trend = useQuery(trendQuery(null, { span, visitors }, unit));
  const earlier = useQuery({
    ...trendQuery(null, { span: earlierSpan ?? span, visitors }, unit),
    enabled: earlierSpan !== undefined,
  });
  const others = useOthers(search, frame, undefined);
  const referrers = useQuery(referrersQuery({ span: shown, visitors }));
  const { countries, devices } = useLists(null, frame);
  return {
    ...frame,
    trend: trend.data,
    isTrendStale: trend.isPlaceholderData,
    earlier: earlierSpan && earlier.data,
    others: others.trends,
    referrers: referrers.data?.data,
    countries: countries.data?.data,
    devices: devices.data?.data,
    isDetailed: isDetailed(referrers.data),
    isStale: [referrers, countries, devices].some((query) => query.isPlaceholderData),
    error: [trend, referrers, countries, devices, others].find(({ error }) => error !== null)?.error ?? null,
  };
}
