/** Resumable uploads of this tab. A broken connection is tried again; the same file chosen again goes on where it was. */
import { useSyncExternalStore } from "react";
import { csrfHeader, renewSession } from "../app/api.ts";
import { SERVER_URL } from "../app/place.ts";

export type FileUpload = {
  id: number;
  name: string;
  size: number;
  sent: number;
  state: "running" | "done" | "failed";
  /** The server's sentence. */
  problem?: string;
};

const PAUSES_MS = [0, 1000, 3000, 5000, 10_000, 20_000];
/** Proxies often limit bodies. */
const PIECE_BYTES = 50 * 1024 * 1024;

let uploads: readonly FileUpload[] = [];
let last = 0;
const listeners = new Set<() => void>();

function change(id: number, next: Partial<FileUpload>): void {
  uploads = uploads.map((upload) => (upload.id === id ? { ...upload, ...next } : upload));
  for (const listener of listeners) listener();
}

export const useUploads = (): readonly FileUpload[] =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => uploads,
  );

export function clearUploads(): void {
  uploads = uploads.filter(({ state }) => state === "running");
  for (const listener of listeners) listener();
}

const sentenceOf = (error: unknown): string => {
  const body = (error as { originalResponse?: { getBody(): string } | null }).originalResponse?.getBody();
  try {
    return (JSON.parse(body ?? "") as { message?: string }).message ?? "";
  } catch {
    return "";
  }
};

/** @param onDone when the file is there */
export async function uploadFile(file: File, folder: number | null, onDone: () => void): Promise<void> {
  const id = ++last;
  uploads = [...uploads, { id, name: file.name, size: file.size, sent: 0, state: "running" }];
  change(id, {});
  // Loaded with the first upload.
  const { Upload } = await import("tus-js-client");
  let refusedAt: number | null = null;
  const upload = new Upload(file, {
    endpoint: `${SERVER_URL}/files/tus`,
    metadata: {
      filename: file.name,
      filetype: file.type,
      ...(folder !== null && { folder_id: String(folder) }),
    },
    chunkSize: PIECE_BYTES,
    retryDelays: PAUSES_MS,
    removeFingerprintOnSuccess: true,
    async onBeforeRequest(request) {
      if (refusedAt !== null) await renewSession(refusedAt);
      refusedAt = null;
      for (const [name, value] of Object.entries(csrfHeader())) request.setHeader(name, value);
    },
    onShouldRetry(error) {
      const status = error.originalResponse?.getStatus() ?? 0;
      if (status === 401) refusedAt = Date.now() - 1;
      return status === 0 || status === 401 || status === 409 || status === 423 || status >= 500;
    },
    onProgress: (sent) => change(id, { sent }),
    onSuccess() {
      change(id, { sent: file.size, state: "done" });
      onDone();
    },
    onError: (error) => change(id, { state: "failed", problem: sentenceOf(error) }),
  });
  const [previous] = await upload.findPreviousUploads();
  if (previous !== undefined) upload.resumeFromPreviousUpload(previous);
  upload.start();
}
