/** Queries of the pages of files. */
import {
  infiniteQueryOptions,
  type InvalidateOptions,
  type QueryClient,
  queryOptions,
} from "@tanstack/react-query";
import { responseOf, api, type Entry as LocatedEntry, type FolderContents } from "../base/api.ts";
import { SERVER_URL } from "../base/place.ts";
import { followed } from "../base/queries.ts";
import { inTree, ownerOfTree } from "../ui/tree-names.ts";

export type Step = { id: number; name: string };

/** A row of a folder, or of a search, which gives the path too. */
export type Entry = Omit<LocatedEntry, "path" | "created_at"> & {
  path?: readonly Step[];
  /** Whether the folder of the server in which it lies may be changed. Found ones don't say. */
  isWritable?: boolean;
};
/** Details of an entry of which the name is known. */
export const UNKNOWN_DETAILS = {
  folder_id: null,
  size: null,
  mime_type: null,
  modified_at: null,
  updated_at: "",
  is_linked: false,
  policy_id: null,
} satisfies Partial<Entry>;
/** What shows a folder of the server has its storage; what is in it has none. */
export const isOnServer = ({ is_linked, policy_id }: Entry): boolean => is_linked && policy_id === null;
/** Whether it lies on the server as it is. */
export const isFixed = (entry: Entry): boolean => isOnServer(entry) && entry.isWritable !== true;
/** The time of a file's content; of a folder, when it was changed. */
export const dateOf = ({ modified_at, updated_at }: Pick<Entry, "modified_at" | "updated_at">): string =>
  modified_at ?? updated_at;
export type EntryId = Pick<Entry, "kind" | "id">;

/** The server's largest page. */
const PAGE = 1_000;
const FOUND_PAGE = 200;

export const entryKey = ({ kind, id }: EntryId): string => `${kind} ${id}`;
/** The draft of a typed name that is not saved. */
export const nameDraftOf = (entry: EntryId): string => `name of ${entryKey(entry)}`;

/** Null is the root, of the account's own tree or a team's. */
export const folderQuery = (id: number | null, team?: string) =>
  infiniteQueryOptions({
    queryKey: ["files", "folder", id, id === null ? team : undefined],
    initialPageParam: "",
    async queryFn({ pageParam, signal }) {
      const query = { limit: PAGE, ...(pageParam !== "" && { cursor: pageParam }) };
      const response =
        id === null
          ? api.GET("/folders", { params: { query: { ...query, ...inTree(team) } }, signal })
          : api.GET("/folders/{id}", { params: { path: { id }, query }, signal });
      return (await responseOf(response)).data;
    },
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    // Many pages are asked for again when the tab gets the focus.
    refetchInterval: (query) => ((query.state.data?.pages.length ?? 0) > 1 ? false : followed(query)),
  });

export const foundQuery = (q: string, team?: string) =>
  infiniteQueryOptions({
    queryKey: ["files", "search", q, team],
    initialPageParam: "",
    queryFn({ pageParam: cursor, signal }) {
      const query = { q, limit: FOUND_PAGE, cursor, ...inTree(team) };
      return responseOf(api.GET("/files/search", { params: { query }, signal }));
    },
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
  });

type Listed = Pick<FolderContents, "folders" | "files" | "on_server">;

export function entriesOf({ folders, files, on_server }: Listed): Entry[] {
  const isWritable = on_server?.read_only === false;
  return [
    ...folders.map(({ parent_id: folder_id, id, name, updated_at, is_linked, policy_id }) => ({
      kind: "folder" as const,
      id,
      name,
      folder_id,
      size: null,
      mime_type: null,
      modified_at: null,
      updated_at,
      is_linked,
      policy_id,
      isWritable,
    })),
    ...files.map(({ id, name, folder_id, size, mime_type, modified_at, updated_at, is_linked }) => ({
      kind: "file" as const,
      id,
      name,
      folder_id,
      size,
      mime_type,
      modified_at,
      updated_at,
      is_linked,
      policy_id: null,
      isWritable,
    })),
  ];
}

export const usageQuery = (team?: string) =>
  queryOptions({
    queryKey: ["files", "usage", team],
    queryFn: async ({ signal }) =>
      (await responseOf(api.GET("/files/usage", { params: { query: inTree(team) }, signal }))).data,
  });

export const fileQuery = (id: number) =>
  queryOptions({
    queryKey: ["files", "file", id],
    queryFn: async ({ signal }) =>
      (await responseOf(api.GET("/files/{id}", { params: { path: { id } }, signal }))).data,
  });

export const refreshFiles = (queries: QueryClient, options?: InvalidateOptions): Promise<void> =>
  queries.invalidateQueries({ queryKey: ["files"] }, options);

/** A folder is in the tree of its parent; `team` says in whose root. */
export async function createFolder(name: string, parent: number | null, team?: string): Promise<number> {
  const owner = parent === null && team !== undefined ? { owner: ownerOfTree(team) } : {};
  return (await responseOf(api.POST("/folders", { body: { name, parent_id: parent, ...owner } }))).data.id;
}

export function renameEntry({ kind, id }: EntryId, name: string): Promise<unknown> {
  const change = { params: { path: { id } }, body: { name } };
  return kind === "file"
    ? responseOf(api.PATCH("/files/{id}", change))
    : responseOf(api.PATCH("/folders/{id}", change));
}

/** Null is the root. */
export function moveEntry({ kind, id }: EntryId, folder: number | null): Promise<unknown> {
  const params = { path: { id } };
  return kind === "file"
    ? responseOf(api.PATCH("/files/{id}", { params, body: { folder_id: folder } }))
    : responseOf(api.PATCH("/folders/{id}", { params, body: { parent_id: folder } }));
}

/** The copy, in a folder of the same tree; null is the root. */
export async function copyEntry({ kind, id }: EntryId, folder: number | null): Promise<EntryId> {
  const params = { path: { id } };
  const { data } =
    kind === "file"
      ? await responseOf(api.POST("/files/{id}/copy", { params, body: { folder_id: folder } }))
      : await responseOf(api.POST("/folders/{id}/copy", { params, body: { parent_id: folder } }));
  return { kind, id: data.id };
}

/** Into a folder of the new owner; null is its root. */
export function giveEntry({ kind, id }: EntryId, owner: string, folder: number | null): Promise<unknown> {
  const params = { path: { id } };
  return kind === "file"
    ? responseOf(api.PATCH("/files/{id}", { params, body: { owner, folder_id: folder } }))
    : responseOf(api.PATCH("/folders/{id}", { params, body: { owner, parent_id: folder } }));
}

export function trashEntry({ kind, id }: EntryId): Promise<unknown> {
  const params = { path: { id } };
  return kind === "file"
    ? responseOf(api.POST("/files/{id}/trash", { params }))
    : responseOf(api.POST("/folders/{id}/trash", { params }));
}

export const restoreEntry = ({ id }: EntryId): Promise<unknown> =>
  responseOf(api.POST("/trash/{id}/restore", { params: { path: { id } }, body: {} }));

export const downloadAddress = ({ kind, id }: EntryId): string =>
  kind === "file" ? `${SERVER_URL}/files/${id}/download` : `${SERVER_URL}/folders/${id}/archive`;

/** Null if it is gone already, or the server is away. */
export const nameOfFile = (id: number): Promise<string | null> =>
  responseOf(api.GET("/files/{id}", { params: { path: { id } } })).then(
    ({ data }) => data.name,
    () => null,
  );

/** Of a file that lies on the server, which reads it whole the first time. */
export const checksumOf = async (id: number): Promise<string> =>
  (await responseOf(api.GET("/files/{id}/sha256", { params: { path: { id } } }))).data.sha256;
