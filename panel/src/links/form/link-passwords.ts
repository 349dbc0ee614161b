import { queryOptions, useQuery } from "@tanstack/react-query";
import { REQUESTED_PASSWORDS, placeNow } from "../../base/place.ts";

const KEPT_MS = 60_000;
const READ_AT = Date.now();

/** Among the settings, so that a change of those refreshes it. */
export const passwordQuery = queryOptions({
  queryKey: ["settings", "link passwords"],
  queryFn: async ({ signal }) => (await placeNow(signal))?.asksPasswords ?? REQUESTED_PASSWORDS,
  initialData: REQUESTED_PASSWORDS,
  initialDataUpdatedAt: READ_AT,
  staleTime: KEPT_MS,
  retry: false,
});

/** Whether visitors have to give the password of a link. If not, no page may say that it is locked. */
export const useAsksPasswords = (): boolean => useQuery(passwordQuery).data;
