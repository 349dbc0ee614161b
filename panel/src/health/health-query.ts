import { queryOptions } from "@tanstack/react-query";
import { responseOf, api } from "../base/api.ts";
import { everyMs } from "../base/queries.ts";

const EVERY_MS = 10_000;

/** Refreshes itself while somebody watches. */
export const systemQuery = queryOptions({
  queryKey: ["system"],
  queryFn: async ({ signal }) => (await responseOf(api.GET("/admin/v1/system", { signal }))).data,
  refetchInterval: everyMs(EVERY_MS),
  staleTime: EVERY_MS,
});
