/** The headers of tus as schemas for the OpenAPI document; tus-protocol.ts reads them. */
import { z } from "zod";
import {
  CHECKSUM_ALGORITHMS,
  CHECKSUM_FORM,
  EXTENSIONS,
  LARGEST_BYTES,
  METADATA_FORM,
  TUS_VERSION,
} from "./tus-protocol.ts";

export const UPLOAD_ID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/;
export const uploadId = z.string().meta({ format: "uuid", pattern: UPLOAD_ID.source });

const bytes = z.int().min(0).max(LARGEST_BYTES);
const instant = z.string().describe("an instant, as in RFC 9110");
const metadata = z.string().meta({ pattern: METADATA_FORM });

export const versionHeader = z.object({ "Tus-Resumable": z.literal(TUS_VERSION) });
const state = versionHeader.extend({ "Upload-Offset": bytes, "Upload-Expires": instant });

const deferred = z.literal(1).optional();

export const createHeaders = versionHeader.extend({
  "Upload-Length": bytes.optional().describe("needed without Upload-Defer-Length"),
  "Upload-Defer-Length": deferred.describe("the size follows as Upload-Length of a later request"),
  "Upload-Metadata": metadata.describe(
    "pairs of a key and a Base64 value: filename, optionally filetype, folder_id and owner",
  ),
});
export const appendHeaders = versionHeader.extend({
  "Upload-Offset": bytes,
  "Upload-Length": bytes.optional().describe("of an upload that began with Upload-Defer-Length"),
  "Upload-Checksum": z
    .string()
    .optional()
    .describe("algorithm and checksum in Base64")
    .meta({ pattern: CHECKSUM_FORM }),
});
export const overrideHeaders = appendHeaders
  .partial({ "Upload-Offset": true })
  .extend({ "X-HTTP-Method-Override": z.enum(["PATCH", "DELETE"]) });

export const progressHeaders = state.extend({
  "X-File-Id": z.int().min(1).optional().describe("the file that the upload became"),
});
export const createdHeaders = progressHeaders.extend({
  Location: z.string().describe("the path of the upload"),
});
export const offsetHeaders = state.extend({
  "Upload-Length": bytes.optional(),
  "Upload-Defer-Length": deferred.describe("while the size is unknown"),
  "Upload-Metadata": metadata.optional(),
});
export const featureHeaders = versionHeader.extend({
  "Tus-Version": z.literal(TUS_VERSION),
  "Tus-Extension": z.literal(EXTENSIONS),
  "Tus-Checksum-Algorithm": z.literal(CHECKSUM_ALGORITHMS),
  "Tus-Max-Size": bytes.optional(),
});
