/** Reads requests of tus and writes the headers of answers, for tus.routes.ts and drop boxes. */
import { bodyChunks } from "../../http/body-chunks.ts";
import type { BodyReservation } from "../../http/body-memory.ts";
import type { BodyReadQueue } from "../../http/body-reader.ts";
import { bodyTimeouts } from "../../http/read-body.ts";
import { appError } from "../../lib/errors.ts";
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
import type { NewUpload, TransferProgress, Upload, UploadChunk } from "./tus.service.ts";

/** Longest silence of a client. */
const STALL_MS = 60_000;

export type RequestedUpload = Omit<NewUpload, "folderId" | "drop"> & { told: ReadonlyMap<string, string> };

/** @throws BadRequest, InvalidName */
export function readCreation(headers: Headers): RequestedUpload {
  // Each part would become its own file.
  if (headers.has("Upload-Concat")) {
    throw appError("BadRequest", "Upload-Concat is not supported; send the file as one upload.");
  }
  const length = headers.get("Upload-Length");
  if (length === null) {
    throw appError("BadRequest", "Send the file's size in the header Upload-Length.");
  }
  const metadata = headers.get("Upload-Metadata") ?? "";
  const told = readMetadata(metadata);
  const name = told.get("filename") ?? "";
  if (name === "") {
    throw appError("InvalidName", "Send the file's name in Upload-Metadata, under the key `filename`.");
  }
  return {
    size: readBytes("Upload-Length", length),
    name,
    mimeType: told.get("filetype"),
    metadata,
    told,
  };
}

/** Lift the idle timeout before reading its body. @throws 415, BadRequest */
export function readChunk(request: Request, reservation: BodyReservation): UploadChunk {
  const { headers } = request;
  const type = headers.get("Content-Type")?.toLowerCase().replace(/;.*/s, "").trim();
  if (type !== BODY_TYPE) throw refusal(415, `Send the bytes with Content-Type: ${BODY_TYPE}.`);
  const length = headers.get("Content-Length");
  const checksum = readChecksum(headers.get("Upload-Checksum") ?? undefined);
  const times = checksum === null ? { stallMs: STALL_MS } : bodyTimeouts(MOST_CHECKED_BYTES);
  return {
    offset: readBytes("Upload-Offset", headers.get("Upload-Offset") ?? undefined),
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
  "Upload-Length": String(upload.size),
  ...(upload.metadata !== "" && { "Upload-Metadata": upload.metadata }),
});

/** X-File-Id: the file that the upload became. */
export const progressOf = ({ upload, fileId }: TransferProgress) => ({
  ...stateOf(upload),
  ...(fileId !== null && { "X-File-Id": String(fileId) }),
});

export const emptyAnswer = (status: number, headers: Record<string, string>): Response =>
  new Response(null, { status, headers });
