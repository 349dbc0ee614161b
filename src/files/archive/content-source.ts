import { open } from "node:fs/promises";
import { dispose } from "../../lib/disposable-bytes.ts";
import { READ_FLAGS } from "../storage/local/folders.ts";

export type ContentSource = {
  /** At least one byte, except at the end or if `into` is empty. */
  read(into: Uint8Array): Promise<number>;
  close(): Promise<void>;
};

export async function openSource(body: Blob | ReadableStream<Uint8Array>): Promise<ContentSource> {
  if (!(body instanceof Blob)) return streamSource(body);
  const { name } = body as Blob & { name?: string };
  return name === undefined ? streamSource(body.stream()) : fileSource(name);
}

/** Always reads into the same memory, which a Blob can't. */
async function fileSource(path: string): Promise<ContentSource> {
  const file = await open(path, READ_FLAGS);
  return {
    read: async (into) => (await file.read(into, 0, into.length, null)).bytesRead,
    close: () => file.close(),
  };
}

function streamSource(stream: ReadableStream<Uint8Array>): ContentSource {
  const reader = stream.getReader();
  let chunk: Uint8Array = new Uint8Array(0);
  let taken = 0;
  return {
    async read(into) {
      while (taken === chunk.length) {
        dispose(chunk);
        const { done, value } = await reader.read();
        [chunk, taken] = [value ?? new Uint8Array(0), 0];
        if (done) return 0;
      }
      const bytes = chunk.subarray(taken, taken + into.length);
      into.set(bytes);
      taken += bytes.length;
      return bytes.length;
    },
    close: () => reader.cancel(),
  };
}
