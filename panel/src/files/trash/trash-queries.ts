import { infiniteQueryOptions } from "@tanstack/react-query";
import { answerOf, api } from "../../base/api.ts";
import type { EntryId } from "../file-queries.ts";

const PAGE = 100;

export const trashQuery = infiniteQueryOptions({
  queryKey: ["files", "trash"],
  initialPageParam: "",
  queryFn: ({ pageParam: cursor, signal }) =>
    answerOf(api.GET("/trash", { params: { query: { cursor, limit: PAGE } }, signal })),
  getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
});

export const deleteForGood = ({ id }: EntryId): Promise<unknown> =>
  answerOf(api.DELETE("/trash/{id}", { params: { path: { id } } }));

export const emptyTrash = (): Promise<unknown> => answerOf(api.DELETE("/trash"));
