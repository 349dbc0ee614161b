import { queryOptions, useQuery } from "@tanstack/react-query";
import { placeNow } from "../../base/place.ts";
import { hostsQuery } from "./domains.ts";

/** Of the default domain. Among the settings, so that a change of those refreshes it. */
const caseQuery = queryOptions({
  queryKey: ["settings", "ignore case"],
  queryFn: async ({ signal }) => (await placeNow(signal))?.ignoresCase ?? false,
  staleTime: 60_000,
  retry: false,
});

/** Whether codes of a domain are compared without case. @param host null: the default domain */
export function useIgnoresCase(host: string | null): boolean {
  const { data: ofDefault = false } = useQuery({ ...caseQuery, enabled: host === null });
  const { data: domains = [] } = useQuery({ ...hostsQuery, enabled: host !== null });
  return host === null ? ofDefault : domains.some((one) => one.host === host && one.ignore_case);
}
