import { infiniteQueryOptions } from "@tanstack/react-query";
import { type LinkPlace, statesOf } from "../../base/link-states.ts";

const PAGE = 20;

export const linkHistoryQuery = (place: LinkPlace) =>
  infiniteQueryOptions({
    queryKey: ["links", "history", place],
    initialPageParam: "",
    queryFn: ({ pageParam: cursor, signal }) => statesOf(place, { limit: PAGE, cursor }, signal),
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
  });
