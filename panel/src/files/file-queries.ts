/** What the pages of files ask the server for. */
import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { answerOf, api, type File as StoredFile, type Folder } from "../app/api.ts";
import { SERVER_URL } from "../app/place.ts";

export type Entry = ({ kind: "folder" } & Folder) | ({ kind: "file" } & StoredFile);

/** Null is the root. */
export const folderQuery = (id: number | null) =>
  queryOptions({
    queryKey: ["files", "folder", id],
    queryFn: async ({ signal }) => {
      const answer =
        id === null
          ? api.GET("/folders", { signal })
          : api.GET("/folders/{id}", { params: { path: { id } }, signal });
      return (await answerOf(answer)).data;
    },
  });

export const usageQuery = queryOptions({
  queryKey: ["files", "usage"],
  queryFn: async ({ signal }) => (await answerOf(api.GET("/files/usage", { signal }))).data,
});

export const refreshFiles = (queries: QueryClient): Promise<void> =>
  queries.invalidateQueries({ queryKey: ["files"] });

export const createFolder = (name: string, parent: number | null): Promise<unknown> =>
  answerOf(api.POST("/folders", { body: { name, parent_id: parent } }));

export function renameEntry({ kind, id }: Entry, name: string): Promise<unknown> {
  const change = { params: { path: { id } }, body: { name } };
  return kind === "file"
    ? answerOf(api.PATCH("/files/{id}", change))
    : answerOf(api.PATCH("/folders/{id}", change));
}

export function trashEntry({ kind, id }: Entry): Promise<unknown> {
  const params = { path: { id } };
  return kind === "file"
    ? answerOf(api.POST("/files/{id}/trash", { params }))
    : answerOf(api.POST("/folders/{id}/trash", { params }));
}

export const restoreEntry = ({ id }: Entry): Promise<unknown> =>
  answerOf(api.POST("/trash/{id}/restore", { params: { path: { id } }, body: {} }));

export const downloadAddress = ({ kind, id }: Entry): string =>
  kind === "file" ? `${SERVER_URL}/files/${id}/download` : `${SERVER_URL}/folders/${id}/archive`;
