/**
 * An archive as an answer. The runtime sends streams without their Content-Length: HEAD and archives of one piece have
 * it. Longer ones are chunked, and a cut one lacks the last chunk.
 */
import { contentDisposition } from "../../lib/content-disposition.ts";
import type { Folder } from "../tree/entry.ts";
import type { Archives } from "./service.ts";

export type ArchiveRequest = {
  /** HEAD needs no bytes. */
  method: string;
  signal: AbortSignal;
  /** Guards the stream against clients that stop reading. */
  relay(pieces: AsyncGenerator<Uint8Array, void>): Promise<ReadableStream<Uint8Array>>;
};

export type AnswerArchive = ReturnType<typeof createArchiveAnswer>;

export function createArchiveAnswer({ archives }: { archives: Archives }) {
  /** @throws like Archives.make, or if the first file can't be read */
  return async (folder: Folder, { method, signal, relay }: ArchiveRequest): Promise<Response> => {
    const archive = await archives.make(folder, signal);
    const headers = {
      "Content-Type": "application/zip",
      "Content-Length": String(archive.length),
      "Content-Disposition": contentDisposition("attachment", archive.name),
      "Content-Security-Policy": "sandbox; default-src 'none'",
      "X-Content-Type-Options": "nosniff",
      "Cache-Control": "private, no-store",
      "Accept-Ranges": "none",
    };
    if (method === "HEAD" || signal.aborted) {
      await archive.close();
      return new Response(null, { headers });
    }
    const pieces = archive.pieces();
    // The client may leave before anything reads the body.
    const leave = () => void pieces.return().then(archive.close, archive.close);
    signal.addEventListener("abort", leave, { once: true });
    return new Response(archive.isShort ? await whole(pieces) : await relay(pieces), { headers });
  };
}

/** Pieces lie in the same memory. */
async function whole(pieces: AsyncGenerator<Uint8Array, void>): Promise<Uint8Array<ArrayBuffer>> {
  const copies: Buffer[] = [];
  for await (const piece of pieces) copies.push(Buffer.from(piece));
  return Buffer.concat(copies);
}
