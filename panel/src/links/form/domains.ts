import { queryOptions, useQuery } from "@tanstack/react-query";
import { answerOf, api } from "../../base/api.ts";
import { accountQuery } from "../../auth/account.ts";

/** For administrators. */
export const domainsQuery = queryOptions({
  queryKey: ["domains", "hosts"],
  queryFn: async ({ signal }) => (await answerOf(api.GET("/admin/v1/domains", { signal }))).data,
  staleTime: 60_000,
});

/** Whether there are other domains to choose from. Undefined while the server is asked. */
export function useHasDomains(): boolean | undefined {
  const { data: account } = useQuery(accountQuery);
  const { data: domains, isLoading } = useQuery({ ...domainsQuery, enabled: account?.role === "admin" });
  return isLoading ? undefined : domains !== undefined && domains.length > 0;
}
