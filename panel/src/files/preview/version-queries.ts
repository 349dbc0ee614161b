import { queryOptions } from "@tanstack/react-query";
import { api, responseOf } from "../../base/api.ts";
import { SERVER_URL } from "../../base/place.ts";
import { TEXT_PREVIEW_BYTES } from "./preview-queries.ts";

/** Newest first. The hash of the content tells when there are others. */
export const versionsQuery = (id: number, sha256: string | null) =>
  queryOptions({
    queryKey: ["files", "versions", id, sha256],
    queryFn: async ({ signal }) =>
      (await responseOf(api.GET("/files/{id}/versions", { params: { path: { id } }, signal }))).data,
  });

export const versionAddress = (id: number, version: number): string =>
  `${SERVER_URL}/files/${id}/versions/${version}/download`;

const pathOf = (id: number, version: number) => ({ params: { path: { id, version } } });

export const restoreVersion = (id: number, version: number): Promise<unknown> =>
  responseOf(api.POST("/files/{id}/versions/{version}/restore", pathOf(id, version)));

export const deleteVersion = (id: number, version: number): Promise<unknown> =>
  responseOf(api.DELETE("/files/{id}/versions/{version}", pathOf(id, version)));

type Sized = { id: number; size: number };

/** The beginnings of a version and of the file. */
export const comparedQuery = (file: Sized, version: Sized) =>
  queryOptions({
    queryKey: ["files", "compared", file.id, version.id],
    async queryFn({ signal }): Promise<[former: string, present: string]> {
      const options = ({ size }: Sized) => ({
        ...(size > TEXT_PREVIEW_BYTES && { headers: { Range: `bytes=0-${TEXT_PREVIEW_BYTES - 1}` } }),
        parseAs: "text" as const,
        signal,
      });
      const path = { id: file.id, version: version.id };
      const [former, present] = await Promise.all([
        api.GET("/files/{id}/versions/{version}/download", { params: { path }, ...options(version) }),
        api.GET("/files/{id}/download", { params: { path: { id: file.id } }, ...options(file) }),
      ]);
      return [former.data ?? "", present.data ?? ""] as [string, string];
    },
    gcTime: 0,
  });
