/** Headers in the document that follow from what an endpoint is. */
import { z } from "zod";
import type { Endpoint } from "./endpoint.ts";
import { isRepeatable, KEY_FORM, KEY_HEADER, REPLAYED_HEADER } from "./idempotency.ts";

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

const key = {
  [KEY_HEADER]: z
    .string()
    .regex(KEY_FORM)
    .optional()
    .describe(
      "a new one for each request, such as a UUID; a repetition with it has the same answer for 24 hours",
    ),
};
const replayed = { [REPLAYED_HEADER]: z.literal("true").optional() };

/** Of successes. A long listing of a folder is streamed without a tag. */
export const headersOfSuccess = (entry: Endpoint) =>
  z.object({
    ...(entry.tagged !== undefined && { ETag: entry.tagged === true ? z.string() : z.string().optional() }),
    ...(isRepeatable(entry) && replayed),
  });

export function withHeaders(entry: Endpoint): Endpoint {
  const { tagged, locked, method } = entry;
  const isRead = tagged !== undefined && method === "GET";
  const isRepeated = isRepeatable(entry);
  const headers = {
    ...(isRepeated && key),
    ...(isRead && ifNoneMatch),
    ...(locked && { ...ifMatch, ...refusedMatch }),
  };
  if (Object.keys(headers).length === 0) return entry;
  return {
    ...entry,
    headers: (entry.headers ?? z.object({})).extend(headers),
    failures: [...(entry.failures ?? []), ...(locked ? [412] : []), ...(isRepeated ? [409, 422] : [])],
    others: {
      ...entry.others,
      ...(isRead && {
        304: { type: null, description: "The client's copy is current", headers: headersOfSuccess(entry) },
      }),
    },
  };
}
