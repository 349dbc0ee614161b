/** Accounts by which administrators filter links. */
import { queryOptions } from "@tanstack/react-query";
import { answerOf, api } from "../../base/api.ts";

export const ownersQuery = queryOptions({
  queryKey: ["users", "owners"],
  queryFn: async ({ signal }) => (await answerOf(api.GET("/admin/v1/users", { signal }))).data,
  staleTime: 60_000,
});
