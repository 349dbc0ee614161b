import { queryOptions, useQuery } from "@tanstack/react-query";
import { accountQuery } from "../../auth/account.ts";
import { api, responseOf } from "../../base/api.ts";
import { SERVER_URL } from "../../base/place.ts";
import { domainsQuery } from "../../domains/domain-queries.ts";

/** Those on which the account may make links, or sees some. */
export const hostsQuery = queryOptions({ ...domainsQuery, staleTime: 60_000 });

/** Any link of the default domain. */
const anyLinkQuery = queryOptions({
  queryKey: ["links", "any"],
  queryFn: async ({ signal }) => {
    const params = { query: { domain: "", page_size: 1 } };
    return (await responseOf(api.GET("/admin/v1/links", { params, signal }))).data[0] ?? null;
  },
});

/** The address of the default domain, which the server writes as its settings say. */
export function useDefaultBase(): string {
  const { data: known } = useQuery(anyLinkQuery);
  return known?.domain !== null ? SERVER_URL : known.short_url.slice(0, -known.code.length - 1);
}

/** Whether there are other domains to choose from. Undefined while the server is asked. */
export function useHasDomains(): boolean | undefined {
  const { data: account } = useQuery(accountQuery);
  const { data: domains, isLoading } = useQuery({
    ...hostsQuery,
    enabled: account !== undefined && account.role !== "user",
  });
  return isLoading ? undefined : domains !== undefined && domains.length > 0;
}
