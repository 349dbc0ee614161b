import { infiniteQueryOptions } from "@tanstack/react-query";
import { answerOf, api } from "../../app/api.ts";
import type { LinkPlace } from "../link-queries.ts";

const PAGE = 20;

const paramsIn = ({ code, domain }: LinkPlace) => ({
  path: { code },
  query: domain === undefined ? {} : { domain },
});

export const linkHistoryQuery = (place: LinkPlace) =>
  infiniteQueryOptions({
    queryKey: ["links", "history", place],
    initialPageParam: "",
    queryFn({ pageParam: cursor, signal }) {
      const { path, query } = paramsIn(place);
      const params = { path, query: { ...query, limit: PAGE, cursor } };
      return answerOf(api.GET("/admin/v1/links/{code}/history", { params, signal }));
    },
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
  });

export const goBackTo = (place: LinkPlace, id: number, state: "before" | "after"): Promise<unknown> => {
  const { path, query } = paramsIn(place);
  const params = { path: { ...path, id }, query };
  return answerOf(api.POST("/admin/v1/links/{code}/history/{id}/restore", { params, body: { state } }));
};

/** What was before the newest change. */
export async function undoNewest(place: LinkPlace): Promise<void> {
  const { path, query } = paramsIn(place);
  const params = { path, query: { ...query, limit: 1 } };
  const [newest] = (await answerOf(api.GET("/admin/v1/links/{code}/history", { params }))).data;
  if (newest) await goBackTo(place, newest.id, "before");
}
