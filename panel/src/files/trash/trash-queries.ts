import { infiniteQueryOptions } from "@tanstack/react-query";
import { answerOf, api } from "../../base/api.ts";
import type { EntryId } from "../file-queries.ts";
import { inTree } from "../../auth/teams/tree-names.ts";

const PAGE = 100;

export const trashQuery = (team?: string) =>
  infiniteQueryOptions({
    queryKey: ["files", "trash", team],
    initialPageParam: "",
    queryFn: ({ pageParam: cursor, signal }) =>
      answerOf(api.GET("/trash", { params: { query: { cursor, limit: PAGE, ...inTree(team) } }, signal })),
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
  });

export const deleteForGood = ({ id }: EntryId): Promise<unknown> =>
  answerOf(api.DELETE("/trash/{id}", { params: { path: { id } } }));

export const emptyTrash = (team?: string): Promise<unknown> =>
  answerOf(api.DELETE("/trash", { params: { query: inTree(team) } }));
