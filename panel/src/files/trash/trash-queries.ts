import { infiniteQueryOptions } from "@tanstack/react-query";
import { responseOf, api } from "../../base/api.ts";
import type { EntryId } from "../file-queries.ts";
import { inTree } from "../../ui/tree-names.ts";

const PAGE = 100;

export const trashQuery = (team?: string) =>
  infiniteQueryOptions({
    queryKey: ["files", "trash", team],
    initialPageParam: "",
    queryFn: ({ pageParam: cursor, signal }) =>
      responseOf(api.GET("/trash", { params: { query: { cursor, limit: PAGE, ...inTree(team) } }, signal })),
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
  });

export const deleteForGood = ({ id }: EntryId): Promise<unknown> =>
  responseOf(api.DELETE("/trash/{id}", { params: { path: { id } } }));

export const emptyTrash = (team?: string): Promise<unknown> =>
  responseOf(api.DELETE("/trash", { params: { query: inTree(team) } }));
