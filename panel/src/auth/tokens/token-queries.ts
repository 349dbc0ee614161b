import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { responseOf, api, type Token } from "../../base/api.ts";

export type TokenSearch = { all?: boolean; page?: number };

const PAGE_SIZE = 50;

/** Reads the address, which anybody may have typed. */
export const readTokenSearch = ({ all, page }: Record<string, unknown>): TokenSearch => ({
  ...(all === true && { all }),
  ...(typeof page === "number" && Number.isSafeInteger(page) && page > 1 && { page }),
});

export const tokensQuery = ({ all = false, page = 1 }: TokenSearch) =>
  queryOptions({
    queryKey: ["tokens", all, page],
    queryFn: ({ signal }) => {
      const query = { page, page_size: PAGE_SIZE, ...(all && { all: "true" as const }) };
      return responseOf(api.GET("/admin/v1/tokens", { params: { query }, signal }));
    },
    placeholderData: keepPreviousData,
  });

/** The folders of the account's root, or those that have the text in their names. */
export const foldersQuery = (q: string) =>
  queryOptions({
    queryKey: ["files", "folders for tokens", q],
    queryFn: async ({ signal }) => {
      if (q === "") {
        const { data } = await responseOf(api.GET("/folders", { params: { query: { limit: 100 } }, signal }));
        return data.folders.map(({ id, name }) => ({ id, label: name }));
      }
      const { data } = await responseOf(
        api.GET("/files/search", { params: { query: { q, limit: 100 } }, signal }),
      );
      return data
        .filter(({ kind }) => kind === "folder")
        .map(({ id, name, path }) => ({ id, label: [...path.map((step) => step.name), name].join(" / ") }));
    },
    placeholderData: keepPreviousData,
  });

/** The names from the root to the folder. */
export const folderPathQuery = (id: number) =>
  queryOptions({
    queryKey: ["files", "path of folder", id],
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: { limit: 1 } };
      const { data } = await responseOf(api.GET("/folders/{id}", { params, signal }));
      return data.path.map(({ name }) => name).join(" / ");
    },
    // A folder that is gone, or of another account, has no name here.
    retry: false,
  });

export const revokeToken = ({ id, account }: Token): Promise<unknown> => {
  const query = account === undefined ? {} : { all: "true" as const };
  return responseOf(api.DELETE("/admin/v1/tokens/{id}", { params: { path: { id }, query } }));
};
