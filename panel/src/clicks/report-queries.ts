import { queryOptions } from "@tanstack/react-query";
import { responseOf, api } from "../base/api.ts";
import type { Span, Unit } from "./buckets.ts";
import type { Dimension, Value } from "./dimensions.ts";
import { DEFAULT_DOMAIN, type Filter, filterIn, valuesIn } from "./filter.ts";
import { datesOf, type Visitors } from "./range.ts";

/** A link by its code and domain. */
export type Place = { code: string; domain: string | undefined };
/** What a report is asked for. */
export type RequestedReport = { span: Span; visitors: Visitors; filter: Filter };
type WithDetails<T> = T & { details?: false | undefined; details_from?: string | undefined };

export const MOST_LISTED = 200;
const NEWEST = 20;
/** While the span is not over, a report grows. */
const STALE_MS = 30_000;

/** Of a link with the values of a search, or of all that the search finds. */
export const filterFor = (place: Place | null, search: Filter): Filter =>
  place === null
    ? filterIn(search)
    : { ...valuesIn(search), code: [place.code], domain: place.domain ?? DEFAULT_DOMAIN };

const queryOf = ({ span, visitors, filter }: RequestedReport) => ({ ...datesOf(span), visitors, ...filter });
const keyOf = (name: string, asked: RequestedReport, more?: string | number) =>
  ["clicks", name, asked, more] as const;
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

export const trendQuery = (asked: RequestedReport, unit: Unit) =>
  queryOptions({
    queryKey: keyOf("trend", asked, unit),
    async queryFn({ signal }) {
      const query = { ...queryOf(asked), group_by: unit };
      const { data, details_from } = await responseOf(
        api.GET("/admin/v1/analytics/trends", { params: { query }, signal }),
      );
      return { ...data, details_from };
    },
    ...kept(asked, unit),
  });

/** Rows, most clicks first; those of no row are `other`. */
export type List = WithDetails<{
  rows: (Value & { clicks: number; human: number; automated: number })[];
  total: number;
  other: number;
}>;

/** The most frequent values of a dimension. */
export const listQuery = (by: Dimension, asked: RequestedReport, limit = MOST_LISTED) =>
  queryOptions({
    queryKey: keyOf("list", asked, `${by} ${limit}`),
    async queryFn({ signal }): Promise<List> {
      const query = { ...queryOf(asked), by, limit };
      const {
        data: rows,
        total = 0,
        other = 0,
        ...told
      } = await responseOf(api.GET("/admin/v1/analytics/report", { params: { query }, signal }));
      return { ...told, rows, total, other };
    },
    ...kept(asked, `${by} ${limit}`),
  });

export const topQuery = (asked: RequestedReport) =>
  queryOptions({
    queryKey: keyOf("top", asked),
    queryFn: async ({ signal }) => {
      const query = { ...queryOf(asked), limit: 10 };
      return (await responseOf(api.GET("/admin/v1/analytics/top", { params: { query }, signal }))).data;
    },
    ...kept(asked),
  });

export const newestQuery = (asked: RequestedReport) =>
  queryOptions({
    queryKey: keyOf("newest", asked),
    queryFn: ({ signal }) => {
      const query = { ...queryOf(asked), limit: NEWEST };
      return responseOf(api.GET("/admin/v1/analytics/clicks", { params: { query }, signal }));
    },
    ...kept(asked),
  });

export const isDetailed = (answer: WithDetails<unknown> | undefined): boolean | undefined =>
  answer && answer.details !== false;
