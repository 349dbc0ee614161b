import { queryOptions, useQuery } from "@tanstack/react-query";
import { accountQuery } from "../../auth/account.ts";
import { domainsQuery } from "../../domains/domain-queries.ts";

/** Those on which the account may make links, or sees some. */
export const hostsQuery = queryOptions({ ...domainsQuery, staleTime: 60_000 });

/** Whether there are other domains to choose from. Undefined while the server is asked. */
export function useHasDomains(): boolean | undefined {
  const { data: account } = useQuery(accountQuery);
  const { data: domains, isLoading } = useQuery({
    ...hostsQuery,
    enabled: account !== undefined && account.role !== "user",
  });
  return isLoading ? undefined : domains !== undefined && domains.length > 0;
}
