import { queryOptions } from "@tanstack/react-query";
import { answerOf, api } from "../base/api.ts";
import type { Span, Unit } from "./buckets.ts";
import { datesOf, type Visitors } from "./range.ts";

/** A link by its code and domain. */
export type Place = { code: string; domain: string | undefined };
export type AskedReport = { span: Span; visitors: Visitors };
type Told<T> = { data: T; details?: false | undefined };

const MOST_COUNTRIES = 100;
const NEWEST = 20;
/** While the span is not over, a report grows. */
const STALE_MS = 30_000;

const queryOf = ({ span, visitors }: AskedReport) => ({ ...datesOf(span), visitors });
const ofLink = ({ code, domain }: Place, asked: AskedReport) => ({
  path: { code },
  query: { ...queryOf(asked), ...(domain !== undefined && { domain }) },
});
const keyOf = (name: string, place: Place | null, asked: AskedReport, more?: string) =>
  ["clicks", name, place, asked, more] as const;
/** Shows the last answer for the same link until the next one arrives. */
const kept = (place: Place | null) => ({
  placeholderData: <T>(last: T | undefined, query: { queryKey: readonly unknown[] } | undefined) =>
    JSON.stringify(query?.queryKey[2]) === JSON.stringify(place) ? last : undefined,
  staleTime: STALE_MS,
});

export const totalsQuery = queryOptions({
  queryKey: ["clicks", "totals"],
  queryFn: async ({ signal }) => (await answerOf(api.GET("/admin/v1/stats", { signal }))).data,
});

/** Of a link, or of all. */
export const trendQuery = (place: Place | null, asked: AskedReport, unit: Unit) =>
  queryOptions({
    queryKey: keyOf("trend", place, asked, unit),
    queryFn: async ({ signal }) => {
      const by = { group_by: unit };
      if (place === null) {
        const query = { ...queryOf(asked), ...by };
        return (await answerOf(api.GET("/admin/v1/analytics/trends", { params: { query }, signal }))).data;
      }
      const { path, query } = ofLink(place, asked);
      const params = { path, query: { ...query, ...by } };
      return (await answerOf(api.GET("/admin/v1/links/{code}/analytics/trends", { params, signal }))).data;
    },
    ...kept(place),
  });

export const linkReportQuery = (place: Place, asked: AskedReport, unit: Unit) =>
  queryOptions({
    queryKey: keyOf("link", place, asked, unit),
    queryFn: ({ signal }) => {
      const params = ofLink(place, asked);
      const query = { ...params.query, group_by: unit };
      return answerOf(api.GET("/admin/v1/links/{code}/analytics", { params: { ...params, query }, signal }));
    },
    ...kept(place),
  });

export const topQuery = (asked: AskedReport) =>
  queryOptions({
    queryKey: keyOf("top", null, asked),
    queryFn: async ({ signal }) => {
      const query = { ...queryOf(asked), limit: 10 };
      return (await answerOf(api.GET("/admin/v1/analytics/top", { params: { query }, signal }))).data;
    },
    ...kept(null),
  });

export const referrersQuery = (asked: AskedReport) =>
  queryOptions({
    queryKey: keyOf("referrers", null, asked),
    queryFn: ({ signal }) => {
      const query = { ...queryOf(asked), limit: 10 };
      return answerOf(api.GET("/admin/v1/analytics/referrers", { params: { query }, signal }));
    },
    ...kept(null),
  });

/** Of a link, or of all. */
export const countriesQuery = (place: Place | null, asked: AskedReport) =>
  queryOptions({
    queryKey: keyOf("countries", place, asked),
    queryFn: ({ signal }) => {
      const more = { limit: MOST_COUNTRIES, by: "country" } as const;
      if (place === null) {
        const query = { ...queryOf(asked), ...more };
        return answerOf(api.GET("/admin/v1/analytics/geo", { params: { query }, signal }));
      }
      const { path, query } = ofLink(place, asked);
      const params = { path, query: { ...query, ...more } };
      return answerOf(api.GET("/admin/v1/links/{code}/analytics/geo", { params, signal }));
    },
    ...kept(place),
  });

export const devicesQuery = (place: Place | null, asked: AskedReport) =>
  queryOptions({
    queryKey: keyOf("devices", place, asked),
    queryFn: ({ signal }) => {
      if (place !== null) {
        const params = ofLink(place, asked);
        return answerOf(api.GET("/admin/v1/links/{code}/analytics/devices", { params, signal }));
      }
      return answerOf(api.GET("/admin/v1/analytics/devices", { params: { query: queryOf(asked) }, signal }));
    },
    ...kept(place),
  });

export const newestQuery = (place: Place | null, asked: AskedReport) =>
  queryOptions({
    queryKey: keyOf("newest", place, asked),
    queryFn: ({ signal }) => {
      const more = { limit: NEWEST };
      if (place === null) {
        const query = { ...queryOf(asked), ...more };
        return answerOf(api.GET("/admin/v1/analytics/clicks", { params: { query }, signal }));
      }
      const { path, query } = ofLink(place, asked);
      const params = { path, query: { ...query, ...more } };
      return answerOf(api.GET("/admin/v1/links/{code}/analytics/clicks", { params, signal }));
    },
    ...kept(place),
  });

export const isDetailed = (answer: Told<unknown> | undefined): boolean | undefined =>
  answer && answer.details !== false;
