/** Headers in the document that follow from what an endpoint is. */
import { z } from "zod";
import type { Endpoint } from "./endpoint.ts";

const ifMatch = {
  "If-Match": z.string().optional().describe("ETag of an answer; 412 if it was changed since"),
};
const ifNoneMatch = {
  "If-None-Match": z
    .string()
    .optional()
    .describe("ETag of the answer that the client has; 304 if it is current"),
};
const refusedMatch = { "If-None-Match": z.string().optional().describe("412 if its ETag is this") };

/** A long listing of a folder is streamed without one. */
export const tagHeader = ({ tagged }: Pick<Endpoint, "tagged">) =>
  z.object({ ETag: tagged === true ? z.string() : z.string().optional() });

export function withHeaders(entry: Endpoint): Endpoint {
  const { tagged, locked, method } = entry;
  const isRead = tagged !== undefined && method === "GET";
  const headers = { ...(isRead && ifNoneMatch), ...(locked && { ...ifMatch, ...refusedMatch }) };
  if (Object.keys(headers).length === 0) return entry;
  return {
    ...entry,
    headers: (entry.headers ?? z.object({})).extend(headers),
    failures: [...(entry.failures ?? []), ...(locked ? [412] : [])],
    others: {
      ...entry.others,
      ...(isRead && {
        304: { type: null, description: "The client's copy is current", headers: tagHeader(entry) },
      }),
    },
  };
}
