/** One attempt to send what the server does not have yet, by tus. */
import { t } from "@lingui/core/macro";
import type { DetailedError, Upload } from "tus-js-client";
import { ApiError, csrfHeader, keepSession, regainSession } from "../../base/api.ts";
import { loaded } from "../../base/lazy.ts";
import { isAsChosen } from "../../../../src/lib/chosen-files.ts";
import { SERVER_URL } from "../../base/place.ts";
import { ownerOfTree } from "../../ui/tree-names.ts";
import type { UploadRecord } from "./upload-record.ts";

const SMALLEST_PIECE = 256 * 1024;
/** Proxies often limit bodies. A refused one makes the pieces of all uploads smaller. */
let pieceBytes = 50 * 1024 * 1024;
const ENDPOINT = `${SERVER_URL}/files/tus`;

type Options = {
  signal: AbortSignal;
  onBegin(tusId: string): void;
  onProgress(sent: number): void;
};

const addressOf = (tusId: string): string => `${ENDPOINT}/${tusId}`;

/** The file's id, if the server returned it. @throws ApiError, with status 0 if the server can't be reached */
export async function transfer(record: UploadRecord, file: File, options: Options): Promise<number | null> {
  const { name, type, folder, team, tusId } = record;
  const { signal, onBegin, onProgress } = options;
  // Loaded with the first upload.
  const { Upload: TusUpload } = await loaded(() => import("tus-js-client"));
  const startedAt = Date.now();
  let fileId: number | null = null;
  let begunId = tusId;
  const chunkSize = pieceBytes;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const upload: Upload = new TusUpload(file, {
    ...(tusId === null ? { endpoint: ENDPOINT } : { uploadUrl: addressOf(tusId) }),
    metadata: {
      filename: name,
      filetype: type,
      modified_at: String(record.lastModified / 1000),
      ...(folder !== null && { folder_id: String(folder) }),
      ...(team !== undefined && { owner: ownerOfTree(team) }),
      ...(record.replaces !== null && { replace: "true" }),
    },
    chunkSize,
    // The caller retries, for as long as it takes.
    retryDelays: [],
    storeFingerprintForResuming: false,
    async onBeforeRequest(request) {
      await keepSession();
      for (const [header, value] of Object.entries(csrfHeader())) request.setHeader(header, value);
    },
    onAfterResponse(_, response) {
      fileId = Number(response.getHeader("X-File-Id")) || fileId;
    },
    onUploadUrlAvailable() {
      begunId = upload.url?.split("/").at(-1) ?? "";
      // A proxy may have added a path that the server does not know.
      upload.url = addressOf(begunId);
      onBegin(begunId);
    },
    onProgress,
    onSuccess: () => resolve(),
    onError: reject,
  });
  const abort = () => void upload.abort(false).catch(() => {});
  signal.addEventListener("abort", () => {
    abort();
    reject(new DOMException("stopped", "AbortError"));
  });
  signal.throwIfAborted();
  upload.start();
  try {
    await promise;
    return fileId;
  } catch (error) {
    if (signal.aborted) throw error;
    const detailed = error as Partial<DetailedError>;
    if (isOfProxy(detailed) && begunId !== null) {
      makePiecesSmaller(Math.min(chunkSize, file.size));
      return transfer({ ...record, tusId: begunId }, file, options);
    }
    const failure = failureOf(detailed);
    if (failure.status === 401) await regainSession(startedAt);
    if (failure.status === 0 && !(await isAsChosen(file))) throw changed();
    throw failure;
  }
}

/** Waymark's own answers have the version of the protocol. */
const isOfProxy = ({ originalResponse: response }: Partial<DetailedError>): boolean =>
  response?.getStatus() === 413 && !response.getHeader("Tus-Resumable");

/** Unless another upload has done it. @throws ApiError */
function makePiecesSmaller(refused: number): void {
  const half = Math.ceil(refused / 2);
  if (half < SMALLEST_PIECE) {
    throw new ApiError(413, {
      message: t`A proxy before the server refuses even small parts of a file. Ask whoever runs the server to allow larger requests.`,
    });
  }
  pieceBytes = Math.min(pieceBytes, half);
}

const changed = () =>
  new ApiError(-1, { message: t`The file has changed or can’t be read any more. Choose it again.` });

function failureOf({ originalResponse: response }: Partial<DetailedError>): ApiError {
  const status = response?.getStatus() ?? 0;
  try {
    return new ApiError(status, JSON.parse(response?.getBody() ?? "{}") as object);
  } catch {
    return new ApiError(status, {});
  }
}

/** How much of it the server has. Null if the server does not say. */
export async function storedBytes(tusId: string): Promise<number | null> {
  try {
    await keepSession();
    const headers = { "Tus-Resumable": "1.0.0" };
    const response = await fetch(addressOf(tusId), { method: "HEAD", headers, credentials: "same-origin" });
    const offset = Number(response.headers.get("Upload-Offset"));
    return response.ok && Number.isSafeInteger(offset) ? offset : null;
  } catch {
    return null;
  }
}

/** Deletes the server's part of it. */
export async function discard(tusId: string): Promise<void> {
  const headers = { "Tus-Resumable": "1.0.0", ...csrfHeader() };
  await fetch(addressOf(tusId), { method: "DELETE", headers, credentials: "same-origin" }).catch(() => {});
}
