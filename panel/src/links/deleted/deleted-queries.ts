import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import { responseOf, api, type DeletedLink, type Link } from "../../base/api.ts";

const PAGE = 50;

export const deletedLinksQuery = (search: string) =>
  infiniteQueryOptions({
    queryKey: ["links", "deleted", search],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      responseOf(
        api.GET("/admin/v1/links/deleted", {
          params: { query: { limit: PAGE, cursor: pageParam, ...(search !== "" && { search }) } },
          signal,
        }),
      ),
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    placeholderData: keepPreviousData,
  });

/** Under its old code, or another one. */
export const putBack = async ({ id }: DeletedLink, code: string): Promise<Link> =>
  (
    await responseOf(
      api.POST("/admin/v1/links/deleted/{id}/restore", {
        params: { path: { id } },
        body: code === "" ? {} : { code },
      }),
    )
  ).data;
