import { infiniteQueryOptions } from "@tanstack/react-query";
import {
  api,
  type NewReportMail,
  type NewReportPage,
  type ReportMail,
  type ReportMailUpdate,
  type ReportPage,
  type ReportPageUpdate,
  responseOf,
} from "../base/api.ts";
import { followed } from "../base/queries.ts";

const PAGE_SIZE = 50;

export const reportPagesQuery = infiniteQueryOptions({
  queryKey: ["report pages"],
  queryFn: async ({ signal, pageParam: cursor }) =>
    responseOf(
      api.GET("/admin/v1/analytics/pages", { params: { query: { cursor, limit: PAGE_SIZE } }, signal }),
    ),
  initialPageParam: "",
  getNextPageParam: ({ next_cursor: next }) => next,
  refetchInterval: followed,
});

export const reportMailsQuery = infiniteQueryOptions({
  queryKey: ["report pages", "mails"],
  queryFn: async ({ signal, pageParam: cursor }) =>
    responseOf(
      api.GET("/admin/v1/analytics/mails", { params: { query: { cursor, limit: PAGE_SIZE } }, signal }),
    ),
  initialPageParam: "",
  getNextPageParam: ({ next_cursor: next }) => next,
});

const at = ({ id }: { id: number }) => ({ params: { path: { id } } });

export const addReport = async (body: NewReportPage): Promise<ReportPage> =>
  (await responseOf(api.POST("/admin/v1/analytics/pages", { body }))).data;

export const changeReport = (report: ReportPage, body: ReportPageUpdate) =>
  responseOf(api.PATCH("/admin/v1/analytics/pages/{id}", { ...at(report), body }));

export const endReport = (report: ReportPage): Promise<unknown> =>
  responseOf(api.DELETE("/admin/v1/analytics/pages/{id}", at(report)));

export const addReportMail = (body: NewReportMail): Promise<unknown> =>
  responseOf(api.POST("/admin/v1/analytics/mails", { body }));

export const changeReportMail = (mail: ReportMail, body: ReportMailUpdate): Promise<unknown> =>
  responseOf(api.PATCH("/admin/v1/analytics/mails/{id}", { ...at(mail), body }));

export const endReportMail = (mail: ReportMail): Promise<unknown> =>
  responseOf(api.DELETE("/admin/v1/analytics/mails/{id}", at(mail)));
