import { queryOptions } from "@tanstack/react-query";
import { api, ApiError } from "../../app/api.ts";
import { SERVER_URL } from "../../app/place.ts";

/** The beginning of a text, which the server cuts. */
export const TEXT_PREVIEW_BYTES = 128 * 1024;

export const previewAddress = (id: number): string => `${SERVER_URL}/files/${id}/preview`;

/** Null if it is not a text. */
export const textQuery = (id: number) =>
  queryOptions({
    queryKey: ["files", "text", id],
    async queryFn({ signal }): Promise<string | null> {
      try {
        const { response } = await api.GET("/files/{id}/preview", {
          params: { path: { id } },
          parseAs: "stream",
          signal,
        });
        return await response.text();
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
