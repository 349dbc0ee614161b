import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import { responseOf, api } from "../../base/api.ts";

const PAGE = 50;

export const reportsQuery = (state: "open" | "resolved") =>
  infiniteQueryOptions({
    queryKey: ["links", "reports", state],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      responseOf(
        api.GET("/admin/v1/reports", {
          params: { query: { limit: PAGE, cursor: pageParam, state } },
          signal,
        }),
      ),
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    placeholderData: keepPreviousData,
  });

export const resolveReport = (id: number, action: "dismiss" | "take_down"): Promise<unknown> =>
  responseOf(api.POST("/admin/v1/reports/{id}/resolve", { params: { path: { id } }, body: { action } }));
