import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { responseOf, api } from "../base/api.ts";
import { type EventSearch, eventFilterOf } from "./event-search.ts";

const PAGE = 50;

export const eventsQuery = (search: EventSearch) =>
  infiniteQueryOptions({
    queryKey: ["events", search],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) => {
      const cursor = pageParam === "" ? {} : { cursor: pageParam };
      const query = { ...eventFilterOf(search), limit: PAGE, ...cursor };
      return responseOf(api.GET("/admin/v1/events", { params: { query }, signal }));
    },
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
  });

/** For how many days events are kept. */
export const retentionQuery = queryOptions({
  queryKey: ["settings", "events.retention_days"],
  queryFn: async ({ signal }) => {
    const params = { path: { key: "events.retention_days" as const } };
    return Number((await responseOf(api.GET("/admin/v1/config/{key}", { params, signal }))).data.value);
  },
});
