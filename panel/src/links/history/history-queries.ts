import { infiniteQueryOptions } from "@tanstack/react-query";
import { answerOf, api } from "../../base/api.ts";
import { changedSince, type LinkPlace } from "../link-queries.ts";

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

function restore(place: LinkPlace, id: number, state: "before" | "after"): Promise<unknown> {
  const { path, query } = paramsIn(place);
  const params = { path: { ...path, id }, query };
  return answerOf(api.POST("/admin/v1/links/{code}/history/{id}/restore", { params, body: { state } }));
}

async function newestIn(place: LinkPlace): Promise<number | undefined> {
  const { path, query } = paramsIn(place);
  const params = { path, query: { ...query, limit: 1 } };
  return (await answerOf(api.GET("/admin/v1/links/{code}/history", { params }))).data[0]?.id;
}

/**
 * Restores a link's state after an event. Returns a function that undoes this, unless somebody has changed the link
 * since.
 */
export async function goBackTo(place: LinkPlace, id: number): Promise<() => Promise<void>> {
  const before = await newestIn(place);
  await restore(place, id, "after");
  const own = await newestIn(place);
  return async () => {
    if (own === undefined || own === before) return;
    if ((await newestIn(place)) !== own) throw changedSince(place.code);
    await restore(place, own, "before");
  };
}
