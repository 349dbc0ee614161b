/** Reads requests of tus and writes the headers of responses, for tus.routes.ts and drop boxes. */
import { bodyChunks } from "../../platform/http/body-chunks.ts";
import type { BodyReservation } from "../../platform/http/body-memory.ts";
import type { BodyReadQueue } from "../../platform/http/body-reader.ts";
import { bodyTimeouts } from "../../platform/http/read-body.ts";
import { appError } from "../../lib/errors.ts";
import { bareMediaType } from "../../lib/bare-media-type.ts";
import { readModifiedAt } from "../../lib/modified-at.ts";
import { MOST_CHECKED_BYTES } from "./tus-checksum.ts";
import {
  BODY_TYPE,
  CHECKSUM_ALGORITHMS,
  EXTENSIONS,
  readBytes,
  readChecksum,
  readMetadata,
  refusal,
  TUS_VERSION,
} from "./tus-protocol.ts";
import { uploadTooLong } from "./tus-transfer.ts";
import type { NewUpload, TransferProgress, Upload, UploadChunk } from "./tus.service.ts";

/** Longest silence of a client. */
const STALL_MS = 60_000;

export type RequestedUpload = Omit<NewUpload, "folderId" | "drop"> & { fields: ReadonlyMap<string, string> };

/** @throws BadRequest, InvalidName */
export function readCreation(headers: Headers): RequestedUpload {
  // Each part would become its own file.
  if (headers.has("Upload-Concat")) {
    throw appError("BadRequest", "Upload-Concat is not supported; send the file as one upload.");
  }
  const size = readSize(headers);
  const metadata = headers.get("Upload-Metadata") ?? "";
  const fields = readMetadata(metadata);
  const name = fields.get("filename") ?? "";
  if (name === "") {
    throw appError("InvalidName", "Send the file's name in Upload-Metadata, under the key `filename`.");
  }
  return {
    size,
    name,
    mimeType: bareMediaType(fields.get("filetype")),
    modifiedAt: readModifiedAt("modified_at", fields.get("modified_at")),
    metadata,
    fields,
  };
}

/** The announced size; null if it follows later. @throws BadRequest */
function readSize(headers: Headers): number | null {
  const [length, deferred] = [headers.get("Upload-Length"), headers.get("Upload-Defer-Length")];
  if ((length === null) === (deferred === null) || (deferred ?? "1") !== "1") {
    throw appError(
      "BadRequest",
      "Send the file's size in the header Upload-Length, or Upload-Defer-Length: 1 instead.",
    );
  }
  return length === null ? null : readBytes("Upload-Length", length);
}

/** Lift the idle timeout before reading its body. @throws 415, BadRequest */
export function readChunk(request: Request, reservation: BodyReservation): UploadChunk {
  if (bareMediaType(request.headers.get("Content-Type")) !== BODY_TYPE)
    throw refusal(415, `Send the bytes with Content-Type: ${BODY_TYPE}.`);
  const { headers } = request;
  const total = headers.get("Upload-Length");
  return {
    ...readBody(request, reservation),
    offset: readBytes("Upload-Offset", headers.get("Upload-Offset") ?? undefined),
    total: total === null ? null : readBytes("Upload-Length", total),
  };
}

/** What comes with the request that begins the upload; null without it. @throws BadRequest, FileTooLargeForPolicy */
export function readFirstChunk(
  request: Request,
  size: number | null,
  reservation: BodyReservation,
): UploadChunk | null {
  const isEmpty = request.body === null || request.headers.get("Content-Length") === "0";
  if (isEmpty || bareMediaType(request.headers.get("Content-Type")) !== BODY_TYPE) return null;
  const chunk = { ...readBody(request, reservation), offset: 0, total: null };
  if (size !== null && (chunk.length ?? 0) > size) throw uploadTooLong(size);
  return chunk;
}

/** Without a response the client does not know the upload, so a failure ends it. */
export async function takeFirst<T>(take: () => Promise<T>, end: () => Promise<void>): Promise<T> {
  try {
    return await take();
  } catch (error) {
    // Else it expires.
    await end().catch(() => undefined);
    throw error;
  }
}

function readBody(request: Request, reservation: BodyReservation) {
  const { headers } = request;
  const length = headers.get("Content-Length");
  const checksum = readChecksum(headers.get("Upload-Checksum") ?? undefined);
  const times = checksum === null ? { stallMs: STALL_MS } : bodyTimeouts(MOST_CHECKED_BYTES);
  return {
    length: length === null ? undefined : readBytes("Content-Length", length),
    checksum,
    reservation,
    body: (readQueue: BodyReadQueue) => bodyChunks(request, { ...times, readQueue }),
  };
}

/** @throws 412 */
export function checkVersion(headers: Headers): void {
  if (headers.get("Tus-Resumable") === TUS_VERSION) return;
  throw refusal(412, `Send the header Tus-Resumable: ${TUS_VERSION}.`);
}

/** @param most bytes; 0: unlimited */
export const featuresOf = (most: number) => ({
  "Tus-Resumable": TUS_VERSION,
  "Tus-Version": TUS_VERSION,
  "Tus-Extension": EXTENSIONS,
  "Tus-Checksum-Algorithm": CHECKSUM_ALGORITHMS,
  ...(most > 0 && { "Tus-Max-Size": String(most) }),
});

export const stateOf = ({ received, expiresAt }: Upload) => ({
  "Upload-Offset": String(received),
  "Upload-Expires": new Date(expiresAt).toUTCString(),
});

export const offsetOf = (upload: Upload) => ({
  ...stateOf(upload),
  ...(upload.size === null ? { "Upload-Defer-Length": "1" } : { "Upload-Length": String(upload.size) }),
  ...(upload.metadata !== "" && { "Upload-Metadata": upload.metadata }),
});

/** X-File-Id: the file that the upload became. */
export const progressOf = ({ upload, fileId }: TransferProgress) => ({
  ...stateOf(upload),
  ...(fileId !== null && { "X-File-Id": String(fileId) }),
});

export const emptyResponse = (status: number, headers: Record<string, string>): Response =>
  new Response(null, { status, headers });
