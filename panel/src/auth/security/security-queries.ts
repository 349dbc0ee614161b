import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answerOf, api } from "../../base/api.ts";

const PAGE_SIZE = 20;

export const sessionsQuery = (page: number) =>
  queryOptions({
    queryKey: ["sessions", page],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET("/admin/v1/account/sessions", {
          params: { query: { page, page_size: PAGE_SIZE } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

export const endSession = (id: string): Promise<unknown> =>
  answerOf(api.DELETE("/admin/v1/account/sessions/{id}", { params: { path: { id } } }));
