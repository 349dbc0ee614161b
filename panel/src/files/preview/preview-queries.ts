import { queryOptions } from "@tanstack/react-query";
import { api } from "../../base/api.ts";
import { SERVER_URL } from "../../base/place.ts";

/** The beginning of a text, which the server cuts. */
export const TEXT_PREVIEW_BYTES = 128_000;

export const previewAddress = (id: number): string => `${SERVER_URL}/files/${id}/preview`;

/** The status for a file without a preview. */
const NO_PREVIEW = 204;

async function previewOf(id: number, signal: AbortSignal): Promise<Response> {
  const options = { params: { path: { id } }, parseAs: "stream", signal } as const;
  return (await api.GET("/files/{id}/preview", options)).response;
}

/** The bytes of a PDF, null if it is none. They are not kept: the frame takes them over. */
export async function pdfBytes(id: number, signal: AbortSignal): Promise<ArrayBuffer | null> {
  const response = await previewOf(id, signal);
  return response.status === NO_PREVIEW ? null : response.arrayBuffer();
}

/** Null if it is not a text. */
export const textQuery = (id: number) =>
  queryOptions({
    queryKey: ["files", "text", id],
    async queryFn({ signal }): Promise<string | null> {
      const response = await previewOf(id, signal);
      return response.status === NO_PREVIEW ? null : response.text();
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
