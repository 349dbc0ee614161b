/** Moves from other products. A change answers with the move as it is now. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import {
  responseOf,
  api,
  ApiError,
  csrfHeader,
  type Failure,
  type ImportChange,
  type ProductImport,
} from "../../base/api.ts";
import { ADMIN_PREFIX, SERVER_URL } from "../../base/place.ts";
import { saveAddress } from "../csv/save-blob.ts";

const PAGE = 50;
const LOOK_MS = 1_000;

/** The server is at it. */
export const isWorkedOn = ({ state }: ProductImport): boolean => state.endsWith("ing");

export const movesQuery = infiniteQueryOptions({
  queryKey: ["moves", "list"],
  queryFn: ({ signal, pageParam: cursor }) =>
    responseOf(api.GET("/admin/v1/imports", { params: { query: { cursor, limit: PAGE } }, signal })),
  initialPageParam: "",
  getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
  refetchInterval: ({ state }) =>
    state.data?.pages.some(({ data }) => data.some(isWorkedOn)) ? LOOK_MS : false,
});

export const moveQuery = (id: number) =>
  queryOptions({
    queryKey: ["moves", "one", id],
    queryFn: async ({ signal }) =>
      (await responseOf(api.GET("/admin/v1/imports/{id}", { params: { path: { id } }, signal }))).data,
    refetchInterval: ({ state }) => (state.data !== undefined && isWorkedOn(state.data) ? LOOK_MS : false),
  });

export const moveNotesQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: ["moves", "notes", id],
    queryFn: ({ signal, pageParam: cursor }) =>
      responseOf(
        api.GET("/admin/v1/imports/{id}/notes", {
          params: { path: { id }, query: { cursor, limit: PAGE } },
          signal,
        }),
      ),
    initialPageParam: "",
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
  });

export const changeMove = async (id: number, body: ImportChange): Promise<ProductImport> =>
  (await responseOf(api.PATCH("/admin/v1/imports/{id}", { params: { path: { id } }, body }))).data;

export const doMove = async (id: number, what: "start" | "undo" | "confirm"): Promise<ProductImport> => {
  const path = { params: { path: { id } } };
  const responses = {
    start: () => api.POST("/admin/v1/imports/{id}/start", path),
    undo: () => api.POST("/admin/v1/imports/{id}/undo", path),
    confirm: () => api.POST("/admin/v1/imports/{id}/confirm", path),
  };
  return (await responseOf(responses[what]())).data;
};

export const forgetMove = (id: number): Promise<unknown> =>
  responseOf(api.DELETE("/admin/v1/imports/{id}", { params: { path: { id } } }));

export async function saveReport(id: number): Promise<void> {
  // Renews an idle session first: a download can't do that.
  await responseOf(api.GET("/admin/v1/auth/me"));
  saveAddress(`${SERVER_URL}${ADMIN_PREFIX}/v1/imports/${id}/report?bom=true`);
}

type MoveResponse = Partial<Failure> & { data?: ProductImport };

/** With XMLHttpRequest, because fetch reports no upload progress. @throws ApiError */
export async function sendMove(
  fields: Record<string, string>,
  file: File | null,
  onSent: (share: number) => void,
): Promise<ProductImport> {
  await responseOf(api.GET("/admin/v1/auth/me"));
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  if (file !== null) form.set("file", file);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `${SERVER_URL}${ADMIN_PREFIX}/v1/imports`);
    for (const [name, value] of Object.entries(csrfHeader())) request.setRequestHeader(name, value);
    request.responseType = "json";
    request.upload.addEventListener("progress", ({ loaded, total }) =>
      onSent(total === 0 ? 1 : loaded / total),
    );
    request.addEventListener("load", () => {
      const reported = (request.response ?? {}) as MoveResponse;
      if (request.status === 201 && reported.data !== undefined) resolve(reported.data);
      else reject(new ApiError(request.status, reported));
    });
    request.addEventListener("error", () => reject(new ApiError(0, {})));
    request.send(form);
  });
}
