import { queryOptions, useQuery } from "@tanstack/react-query";
import { answerOf, api } from "../../app/api.ts";
import { accountQuery } from "../../auth/account.ts";

/** For administrators. */
export const domainsQuery = queryOptions({
  queryKey: ["domains", "hosts"],
  queryFn: async ({ signal }) => (await answerOf(api.GET("/admin/v1/domains", { signal }))).data,
  staleTime: 60_000,
});

/** Whether there are other domains to choose from. */
export function useHasDomains(): boolean {
  const { data: account } = useQuery(accountQuery);
  const { data: domains = [] } = useQuery({ ...domainsQuery, enabled: account?.role === "admin" });
  return domains.length > 0;
}
