import { queryOptions } from "@tanstack/react-query";
import { answerOf, api } from "../base/api.ts";
import type { Span, Unit } from "./buckets.ts";
import type { Dimension } from "./dimensions.ts";
import { datesOf, type Visitors } from "./range.ts";

/** A link by its code and domain. */
export type Place = { code: string; domain: string | undefined };
export type AskedReport = { span: Span; visitors: Visitors };
type Told<T> = { data: T; details?: false | undefined };

const MOST_LISTED = 100;
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
const kept = (place: Place | null, more?: string) => ({
  placeholderData: <T>(last: T | undefined, query: { queryKey: readonly unknown[] } | undefined) =>
    JSON.stringify(query?.queryKey[2]) === JSON.stringify(place) && query?.queryKey[4] === more
      ? last
      : undefined,
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

export const topQuery = (asked: AskedReport) =>
  queryOptions({
    queryKey: keyOf("top", null, asked),
    queryFn: async ({ signal }) => {
      const query = { ...queryOf(asked), limit: 10 };
      return (await answerOf(api.GET("/admin/v1/analytics/top", { params: { query }, signal }))).data;
    },
    ...kept(null),
  });

type Counts = { count: number; percentage: number; human_clicks?: number; automated_clicks?: number };
type List = Told<ReturnType<typeof shareOf>[]>;

const shareOf = (value: string, { count, percentage, ...both }: Counts) => ({
  value,
  count,
  percentage,
  human: both.human_clicks,
  automated: both.automated_clicks,
});

async function referrersOf(place: Place | null, asked: AskedReport, signal: AbortSignal): Promise<List> {
  if (place === null) {
    const query = { ...queryOf(asked), limit: MOST_LISTED };
    const answer = await answerOf(api.GET("/admin/v1/analytics/referrers", { params: { query }, signal }));
    return { ...answer, data: answer.data.map((item) => shareOf(item.referrer, item)) };
  }
  const { path, query } = ofLink(place, asked);
  const params = { path, query: { ...query, group_by: "month" as const } };
  const answer = await answerOf(api.GET("/admin/v1/links/{code}/analytics", { params, signal }));
  return { ...answer, data: answer.data.top_referrers.map((item) => shareOf(item.referrer, item)) };
}

async function placesOf(
  by: "country" | "city",
  place: Place | null,
  asked: AskedReport,
  signal: AbortSignal,
): Promise<List> {
  const more = { limit: MOST_LISTED, by };
  const { path, query } = ofLink(place ?? { code: "", domain: undefined }, asked);
  const params = { path, query: { ...query, ...more } };
  const answer = await answerOf(
    place === null
      ? api.GET("/admin/v1/analytics/geo", { params: { query: { ...queryOf(asked), ...more } }, signal })
      : api.GET("/admin/v1/links/{code}/analytics/geo", { params, signal }),
  );
  const valueOf = (country: string, city: string | null) => (city === null ? country : `${country}/${city}`);
  return { ...answer, data: answer.data.map((item) => shareOf(valueOf(item.country, item.city), item)) };
}

const AGENT_LISTS = { device: "devices", browser: "browsers", os: "operating_systems" } as const;

async function agentsOf(
  by: keyof typeof AGENT_LISTS,
  place: Place | null,
  asked: AskedReport,
  signal: AbortSignal,
): Promise<List> {
  const answer = await answerOf(
    place === null
      ? api.GET("/admin/v1/analytics/devices", { params: { query: queryOf(asked) }, signal })
      : api.GET("/admin/v1/links/{code}/analytics/devices", { params: ofLink(place, asked), signal }),
  );
  return { ...answer, data: answer.data[AGENT_LISTS[by]].map((item) => shareOf(item.name, item)) };
}

/** The most frequent values of a dimension, of a link or of all. */
export const listQuery = (by: Dimension, place: Place | null, asked: AskedReport) =>
  queryOptions({
    queryKey: keyOf("list", place, asked, by),
    queryFn({ signal }) {
      if (by === "referrer") return referrersOf(place, asked, signal);
      return by === "country" || by === "city"
        ? placesOf(by, place, asked, signal)
        : agentsOf(by, place, asked, signal);
    },
    ...kept(place, by),
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
