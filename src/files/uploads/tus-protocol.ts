/**
 * The headers of tus 1.0.0 (https://tus.io/protocols/resumable-upload) and of its extensions but concatenation. The
 * existing libraries don't fit: they store by themselves, keep the state beside the bytes instead of in a row of the
 * file's transaction, lock within one process, and lack checksums.
 */
import { type AppError, appError } from "../../lib/errors.ts";
import { z } from "zod";

export const TUS_VERSION = "1.0.0";
export const EXTENSIONS =
  "creation,creation-with-upload,creation-defer-length,expiration,checksum,termination";
export const BODY_TYPE = "application/offset+octet-stream";

/** MD5 is for clients that have only it. All detect damage in transit only. */
const ALGORITHMS = ["sha256", "sha1", "md5"] as const;
export const CHECKSUM_ALGORITHMS = ALGORITHMS.join(",");

export type Checksum = { algorithm: (typeof ALGORITHMS)[number]; digest: Buffer };

/** With a status of the protocol. */
export const refusal = (
  status: 410 | 412 | 415 | 423 | 460,
  message: string,
  details: Record<string, unknown> = {},
): AppError => appError(NAMES[status], message, { details: { ...details, status } });

const NAMES = {
  410: "NotFound",
  412: "BadRequest",
  415: "BadRequest",
  423: "Conflict",
  460: "BadRequest",
} as const;

export const LARGEST_BYTES = Number.MAX_SAFE_INTEGER;

/** @throws BadRequest naming the header */
export function readBytes(header: string, text: string | undefined): number {
  const bytes = /^\d{1,16}$/.test(text ?? "") ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(bytes)) return bytes;
  throw appError("BadRequest", `${header} must be a whole number of bytes.`);
}

const KEY = String.raw`[\x21-\x2b\x2d-\x7e]+`;
const BASE64 = "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?";
const IS_KEY = new RegExp(`^${KEY}$`);
const IS_BASE64 = new RegExp(`^${BASE64}$`);
const PAIR = `${KEY}(?: ${BASE64})?`;

/** The patterns in the OpenAPI document. */
export const METADATA_FORM = `^${PAIR}(?:,${PAIR})*$`;
export const CHECKSUM_FORM = `^(?:${ALGORITHMS.join("|")}) ${BASE64}$`;

/**
 * Keys, each with an optional Base64 value. @throws BadRequest if malformed, for a repeated key, and for values that
 * are not UTF-8
 */
export function readMetadata(text: string | undefined): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  if (text === undefined || text.trim() === "") return found;
  for (const pair of text.split(",")) {
    const [key = "", value = "", ...more] = pair.trim().split(" ");
    if (!IS_KEY.test(key) || !IS_BASE64.test(value) || more.length > 0 || found.has(key)) {
      throw appError(
        "BadRequest",
        "Upload-Metadata must be pairs of a key and a Base64 value, each key once.",
      );
    }
    found.set(key, readUtf8(value));
  }
  return found;
}

function readUtf8(base64: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(base64, "base64"));
  } catch (cause) {
    throw appError("BadRequest", "Upload-Metadata has a value that is not UTF-8.", { cause });
  }
}

/** The checksum, or null without one. @throws BadRequest */
export function readChecksum(text: string | undefined): Checksum | null {
  if (text === undefined) return null;
  const [name, value = "", ...more] = text.trim().split(" ");
  const algorithm = ALGORITHMS.find((known) => known === name);
  if (algorithm === undefined || !IS_BASE64.test(value) || more.length > 0) {
    throw appError(
      "BadRequest",
      `Upload-Checksum must be one of ${CHECKSUM_ALGORITHMS} and the checksum in Base64.`,
    );
  }
  return { algorithm, digest: Buffer.from(value, "base64") };
}

/** @throws 460 */
export function verify({ algorithm, digest }: Checksum, chunks: readonly Uint8Array[]): void {
  const hasher = new Bun.CryptoHasher(algorithm);
  for (const chunk of chunks) hasher.update(chunk);
  if (hasher.digest().equals(digest)) return;
  throw refusal(460, "The bytes do not match their checksum and were discarded. Send them again.");
}

// The schemas of the headers, for the OpenAPI document.
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
    "pairs of a key and a Base64 value: filename, optionally filetype, folder_id, owner, modified_at (RFC 3339, or seconds since 1970) and replace (true: a file of that name gets the content)",
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
