/** Queries of shares and drop boxes. Every change refreshes the lists. */
import { infiniteQueryOptions, queryOptions, type QueryClient } from "@tanstack/react-query";
import {
  ApiError,
  responseOf,
  api,
  type LinkPatch,
  type NewDropBox,
  type NewFolderShare,
  type NewShare,
  type Share,
  type ShareUpdate,
} from "../base/api.ts";
import { createFolder } from "../files/file-queries.ts";
import { numberedName } from "../files/uploads/free-names.ts";
import { followed } from "../base/queries.ts";
import { inTree } from "../ui/tree-names.ts";
import { filterOfShares, type SharedItem, type ShareSearch } from "./share-search.ts";

export const SHARES_A_PAGE = 50;

/** Pages by number, from 0, so every position of the list is one request away. */
export const sharesQuery = (search: ShareSearch, page: number) =>
  queryOptions({
    queryKey: ["shares", "list", search, page],
    async queryFn({ signal }) {
      const query = { ...filterOfShares(search), page: page + 1, page_size: SHARES_A_PAGE };
      const { data, pagination } = await responseOf(api.GET("/shares", { params: { query }, signal }));
      return { shares: data, total: pagination?.total ?? data.length };
    },
    refetchInterval: followed,
  });

export const sharePolicyQuery = queryOptions({
  queryKey: ["shares", "policy"],
  queryFn: async ({ signal }) => (await responseOf(api.GET("/files/share-policy", { signal }))).data,
});

export const shareQuery = (code: string) =>
  queryOptions({
    queryKey: ["shares", "one", code],
    queryFn: ({ signal }) => readShare(code, signal),
    refetchInterval: followed,
  });

export const readShare = async (code: string, signal?: AbortSignal): Promise<Share> =>
  (await responseOf(api.GET("/shares/{code}", { params: { path: { code } }, ...(signal && { signal }) })))
    .data;

/** Folders and files in a folder, to choose from. Null: the root of the account's tree, or of a team's. */
export const choicesQuery = (folder: number | null, team?: string) =>
  queryOptions({
    queryKey: ["files", "choices", folder, team],
    async queryFn({ signal }) {
      const response =
        folder === null
          ? api.GET("/folders", { params: { query: inTree(team) }, signal })
          : api.GET("/folders/{id}", { params: { path: { id: folder } }, signal });
      return (await responseOf(response)).data;
    },
  });

const MOST_FOUND = 50;

/** Of all folders. */
export const foundChoicesQuery = (q: string, team?: string) =>
  queryOptions({
    queryKey: ["files", "choices", "found", q, team],
    enabled: q !== "",
    async queryFn({ signal }) {
      const query = { q, limit: MOST_FOUND, ...inTree(team) };
      const { data } = await responseOf(api.GET("/files/search", { params: { query }, signal }));
      return data;
    },
  });

export const removeFolder = (id: number): Promise<unknown> =>
  responseOf(api.DELETE("/folders/{id}", { params: { path: { id } } }));

/** A new folder in the root; a number follows the name if it is taken. @throws ApiError */
export async function folderForShare(name: string, team: string | undefined): Promise<SharedItem> {
  for (let free = name; ; free = numberedName(free)) {
    try {
      return { kind: "folder", id: await createFolder(free, null, team), name: free };
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
    }
  }
}

/** Links have codes too. */
export const refreshShares = async (queries: QueryClient): Promise<void> => {
  await Promise.all(["shares", "links"].map((key) => queries.invalidateQueries({ queryKey: [key] })));
};

export async function shareItem({ kind, id }: SharedItem, body: NewFolderShare): Promise<Share> {
  const options = { params: { path: { id } }, body };
  const { data } =
    kind === "file"
      ? await responseOf(api.POST("/files/{id}/share", options))
      : await responseOf(api.POST("/folders/{id}/share", options));
  return data;
}

export const toItem = ({ kind, id }: SharedItem) => (kind === "file" ? { file_id: id } : { folder_id: id });

export const shareItems = async (items: readonly SharedItem[], body: NewShare): Promise<Share> =>
  (
    await responseOf(
      api.POST("/shares", {
        body: { ...body, items: items.map(toItem) },
      }),
    )
  ).data;

/** Several items that are one share. */
export const itemsQuery = (code: string) =>
  queryOptions({
    queryKey: ["shares", "items", code],
    queryFn: async ({ signal }) =>
      (await responseOf(api.GET("/shares/{code}/items", { params: { path: { code } }, signal }))).data,
  });

export const openBox = async (folder: number, body: NewDropBox): Promise<Share> =>
  (await responseOf(api.POST("/folders/{id}/drop", { params: { path: { id: folder } }, body }))).data;

export const changeShare = async (code: string, body: ShareUpdate): Promise<Share> =>
  (await responseOf(api.PATCH("/shares/{code}", { params: { path: { code } }, body }))).data;

/** Changes a code that redirects to what it should serve. */
export const changeCode = (code: string, body: LinkPatch): Promise<unknown> =>
  responseOf(api.PATCH("/admin/v1/links/{code}", { params: { path: { code } }, body }));

/** An administrator sees such a share, and can take it down. */
export const isOfOthers = ({ owner }: Share, account: number): boolean =>
  owner !== undefined && owner.id !== account;

export const endShare = ({ code }: Share): Promise<unknown> =>
  responseOf(api.DELETE("/shares/{code}", { params: { path: { code } } }));

export const takeShareDown = ({ code }: Share): Promise<unknown> =>
  responseOf(
    api.POST("/admin/v1/links/{code}/review", { params: { path: { code } }, body: { action: "take_down" } }),
  );

/** Mails the link again. */
export const mailAgain = (code: string, recipients: string[]): Promise<unknown> =>
  responseOf(api.POST("/shares/{code}/mails", { params: { path: { code } }, body: { recipients } }));

/** A waiting mail is out in a moment, unless its server is away. */
const WAITING_MS = 2_000;

/** What became of the mails to recipients, newest first. Asked for often while one waits. */
export const shareMailsQuery = (code: string) =>
  queryOptions({
    queryKey: ["shares", "mails", code],
    queryFn: async ({ signal }) =>
      (await responseOf(api.GET("/shares/{code}/mails", { params: { path: { code } }, signal }))).data,
    refetchInterval(query) {
      const { data, error } = query.state;
      const isWaiting = error === null && data?.some(({ state }) => state === "queued") === true;
      return isWaiting ? WAITING_MS : followed(query);
    },
  });

/** A link that may come to serve files. */
export const linkOfCodeQuery = (code: string) =>
  queryOptions({
    queryKey: ["links", "to share", code],
    queryFn: async ({ signal }) =>
      (await responseOf(api.GET("/admin/v1/links/{code}", { params: { path: { code } }, signal }))).data,
  });

/** What visitors did, newest first. */
export const visitsQuery = (code: string) =>
  infiniteQueryOptions({
    queryKey: ["shares", "visits", code],
    initialPageParam: "",
    queryFn: ({ pageParam: cursor, signal }) =>
      responseOf(
        api.GET("/shares/{code}/visits", {
          params: { path: { code }, query: { cursor, limit: SHARES_A_PAGE } },
          signal,
        }),
      ),
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    refetchInterval: (query) => ((query.state.data?.pages.length ?? 0) > 1 ? false : followed(query)),
  });

/** Files that a drop box received, newest first. */
export const receivedQuery = (folder: number, code: string) =>
  infiniteQueryOptions({
    queryKey: ["shares", "received", folder, code],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      responseOf(
        api.GET("/folders/{id}/drop/{code}/files", {
          params: { path: { id: folder, code }, query: { cursor: pageParam, limit: SHARES_A_PAGE } },
          signal,
        }),
      ),
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
  });
