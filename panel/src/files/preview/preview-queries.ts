import { queryOptions } from "@tanstack/react-query";
import { api, ApiError } from "../../app/api.ts";
import { SERVER_URL } from "../../app/place.ts";

/** Of a text, from its beginning. The server cuts it. */
export const TEXT_PREVIEW_BYTES = 128 * 1024;

export const previewAddress = (id: number): string => `${SERVER_URL}/files/${id}/preview`;

/** Null for what is no text. */
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
