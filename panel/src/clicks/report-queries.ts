import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answerOf, api } from "../app/api.ts";
import { type ReportSearch, spanOf } from "./range.ts";

export const totalsQuery = queryOptions({
  queryKey: ["clicks", "totals"],
  queryFn: async ({ signal }) => (await answerOf(api.GET("/admin/v1/stats", { signal }))).data,
});

/** `isBefore`: the span of the same length before. */
export const trendQuery = (search: ReportSearch, isBefore = false) =>
  queryOptions({
    queryKey: ["clicks", "trend", search, isBefore],
    queryFn: async ({ signal }) => {
      const query = { ...spanOf(search, isBefore), group_by: "day" as const };
      return (await answerOf(api.GET("/admin/v1/analytics/trends", { params: { query }, signal }))).data;
    },
    placeholderData: keepPreviousData,
  });

export const topQuery = (search: ReportSearch) =>
  queryOptions({
    queryKey: ["clicks", "top", search],
    queryFn: async ({ signal }) => {
      const query = { ...spanOf(search), limit: 10 };
      return (await answerOf(api.GET("/admin/v1/analytics/top", { params: { query }, signal }))).data;
    },
    placeholderData: keepPreviousData,
  });

type Place = { code: string; domain: string | undefined };

const paramsOf = ({ code, domain }: Place, search: ReportSearch) => ({
  path: { code },
  query: { ...spanOf(search), ...(domain !== undefined && { domain }) },
});

export const linkReportQuery = (place: Place, search: ReportSearch) =>
  queryOptions({
    queryKey: ["clicks", "link", place, search],
    queryFn: ({ signal }) =>
      answerOf(api.GET("/admin/v1/links/{code}/analytics", { params: paramsOf(place, search), signal })),
    placeholderData: keepPreviousData,
  });

export const linkDevicesQuery = (place: Place, search: ReportSearch) =>
  queryOptions({
    queryKey: ["clicks", "devices", place, search],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET("/admin/v1/links/{code}/analytics/devices", { params: paramsOf(place, search), signal }),
      ),
    placeholderData: keepPreviousData,
  });
