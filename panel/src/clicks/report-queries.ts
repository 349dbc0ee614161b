import { queryOptions } from "@tanstack/react-query";
import { responseOf, api } from "../base/api.ts";
import { followTimeZone } from "../base/place.ts";
import type { Span, Unit } from "./buckets.ts";
import type { Dimension, Value } from "./dimensions.ts";
import { DEFAULT_DOMAIN, type Filter, filterIn, valuesIn } from "./filter.ts";
import { datesOf, type Visitors } from "./range.ts";

/** A link by its code and domain. */
export type Place = { code: string; domain: string | undefined };
/** What a report is asked for. */
export type RequestedReport = { span: Span; visitors: Visitors; filter: Filter };
type WithDetails<T> = T & {
  details?: false | undefined;
  details_from?: string | undefined;
  details_lost?: number | undefined;
};

const MOST_LISTED = 200;
/** As many rows as a list can have, for comparisons and exports. */
export const MOST_ROWS = 1_000;
const NEWEST = 20;
const MOST_MISSING = 20;
/** While the span is not over, a report grows. */
const STALE_MS = 30_000;

/** Of a link with the values of a search, or of all that the search finds. */
export const filterFor = (place: Place | null, search: Filter): Filter =>
  place === null
    ? filterIn(search)
    : { ...valuesIn(search), code: [place.code], domain: place.domain ?? DEFAULT_DOMAIN };

const queryOf = ({ span, visitors, filter }: RequestedReport) => ({ ...datesOf(span), visitors, ...filter });
const keyOf = (name: string, requested: RequestedReport, more?: string | number) =>
  ["clicks", name, requested, more] as const;
/** Shows the last answer for the same links until the next one arrives. */
const kept = ({ filter: { code } }: RequestedReport, more?: string | number) => ({
  placeholderData: <T>(last: T | undefined, query: { queryKey: readonly unknown[] } | undefined) => {
    const [, , before, what] = (query?.queryKey ?? []) as Partial<ReturnType<typeof keyOf>>;
    return String(before?.filter.code) === String(code) && what === more ? last : undefined;
  },
  staleTime: STALE_MS,
});

export const totalsQuery = queryOptions({
  queryKey: ["clicks", "totals"],
  queryFn: async ({ signal }) => (await responseOf(api.GET("/admin/v1/stats", { signal }))).data,
});

type Compare = "previous" | "year" | undefined;

/** @param compare with the range before, whose trend is `compared` */
export const trendQuery = (requested: RequestedReport, unit: Unit, compare?: Compare) =>
  queryOptions({
    queryKey: keyOf("trend", requested, `${unit} ${compare}`),
    async queryFn({ signal, client }) {
      const query = { ...queryOf(requested), group_by: unit, ...(compare && { compare }) };
      const { data, details_from, time_zone, zone_since, compared } = await responseOf(
        api.GET("/admin/v1/analytics/trends", { params: { query }, signal }),
      );
      if (followTimeZone(time_zone ?? "UTC")) void client.invalidateQueries({ queryKey: ["clicks"] });
      return { ...data, details_from, zone_since, compared };
    },
    ...kept(requested, `${unit} ${compare}`),
  });

type Counts = { clicks: number; human: number; automated: number };

/** Rows, most clicks first; those of no row are `other`, and `none` of them have no value. */
export type List = WithDetails<{
  rows: (Value &
    Counts & { hosts?: (Counts & { value: string })[] | undefined; visitors?: number | undefined })[];
  total: number;
  other: number;
  none?: number | undefined;
}>;

/** The most frequent values of a dimension. */
export const listQuery = (by: Dimension, requested: RequestedReport, limit = MOST_LISTED) =>
  queryOptions({
    queryKey: keyOf("list", requested, `${by} ${limit}`),
    async queryFn({ signal }): Promise<List> {
      const query = { ...queryOf(requested), by, limit };
      const {
        data: rows,
        total = 0,
        other = 0,
        ...reported
      } = await responseOf(api.GET("/admin/v1/analytics/report", { params: { query }, signal }));
      return { ...reported, rows, total, other };
    },
    ...kept(requested, `${by} ${limit}`),
  });

export const topQuery = (requested: RequestedReport) =>
  queryOptions({
    queryKey: keyOf("top", requested),
    queryFn: async ({ signal }) => {
      const query = { ...queryOf(requested), limit: 10 };
      return (await responseOf(api.GET("/admin/v1/analytics/top", { params: { query }, signal }))).data;
    },
    ...kept(requested),
  });

/** Codes that were requested but have no link, by whole days. */
export const missingQuery = (requested: RequestedReport) =>
  queryOptions({
    queryKey: keyOf("missing", requested),
    async queryFn({ signal }) {
      const query = { ...datesOf(requested.span), visitors: requested.visitors, limit: MOST_MISSING };
      const { data, further } = await responseOf(
        api.GET("/admin/v1/analytics/missing", { params: { query }, signal }),
      );
      return { codes: data, further };
    },
    ...kept(requested),
  });

export const newestQuery = (requested: RequestedReport) =>
  queryOptions({
    queryKey: keyOf("newest", requested),
    queryFn: ({ signal }) => {
      const query = { ...queryOf(requested), limit: NEWEST };
      return responseOf(api.GET("/admin/v1/analytics/clicks", { params: { query }, signal }));
    },
    ...kept(requested),
  });

export const isDetailed = (response: WithDetails<unknown> | undefined): boolean | undefined =>
  response && response.details !== false;
