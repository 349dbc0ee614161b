import { z } from "zod";
import { type Endpoint, endpoint } from "../../platform/http/endpoint.ts";
import { streamResponse } from "../../platform/http/stream-pages.ts";
import { appError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import { entryIn, placedEndpoint } from "../tree/entry-id.ts";
import type { Trees } from "../tree/trees.ts";
import type { Folders } from "../tree/folders.service.ts";
import { contentDisposition } from "../../lib/content-disposition.ts";
import type { Entry, Folder } from "../tree/entry.ts";
import type { Archive, Archives } from "./service.ts";

const archiveHeaders = z.object({
  "Content-Length": z
    .int()
    .optional()
    .describe("also of HEAD; long archives lack it over TLS and on a unix socket"),
  "Content-Disposition": z.string(),
  "Content-Security-Policy": z.string(),
  "Cache-Control": z.string(),
  "Accept-Ranges": z.literal("none"),
});

type Deps = {
  folders: Folders;
  trees: Trees;
  respondWithArchive: RespondWithArchive;
  logger: Logger;
};

export const archiveEndpoint = ({ folders, trees, respondWithArchive, logger }: Deps): Endpoint =>
  endpoint("GET /folders/:id/archive", {
    ...placedEndpoint("folders"),
    summary: "A folder with everything in it, as a ZIP file",
    failures: [400, 502, 503],
    raw: { type: "application/zip", headers: archiveHeaders },
    async handle(input) {
      const { c } = input;
      const { folder } = await folders.find(...(await entryIn(trees, input, "FolderNotFound")));
      if (folder === null) throw appError("FolderNotFound", "There is no such folder.");
      // Reading a large tree takes a while.
      c.env.liftIdleTimeout();
      return respondWithArchive(folder, {
        method: c.req.method,
        signal: c.req.raw.signal,
        relay: (pieces) =>
          streamResponse(c, pieces, { logger, failure: "an archive was cut off", restMs: 0 }),
      });
    },
  });

type ArchiveRequest = {
  /** HEAD needs no bytes. */
  method: string;
  /** The entries to send instead of what is in the folder. */
  items?: readonly Entry[];
  signal: AbortSignal;
  /** Called when the last byte was taken, or can't be taken any more. Only the first call counts. */
  ended?(isFinished: boolean): Promise<void>;
  /** Guards the stream against clients that stop reading. */
  relay(pieces: AsyncGenerator<Uint8Array, void>): Promise<ReadableStream<Uint8Array>>;
};

export type RespondWithArchive = ReturnType<typeof createArchiveResponse>;

export function createArchiveResponse({ archives }: { archives: Archives }) {
  /** @throws like Archives.make, or if the first file can't be read */
  return async (folder: Folder, request: ArchiveRequest): Promise<Response> => {
    const { method, signal, relay } = request;
    const archive = await archives.make(folder, signal, request.items);
    const headers = {
      "Content-Type": "application/zip",
      "Content-Disposition": contentDisposition("attachment", archive.name),
      "Content-Security-Policy": "sandbox; default-src 'none'",
      "X-Content-Type-Options": "nosniff",
      "Cache-Control": "private, no-store",
      "Accept-Ranges": "none",
    };
    const sized = { ...headers, "Content-Length": String(archive.length) };
    if (method === "HEAD" || signal.aborted) {
      await archive.close();
      return new Response(null, { headers: sized });
    }
    const pieces = watched(archive, request);
    // The client may leave before anything reads the body; then the generator never ends.
    const leave = async () => {
      await pieces.return().catch(() => undefined);
      await archive.close();
      await request.ended?.(false);
    };
    signal.addEventListener("abort", () => void leave(), { once: true });
    if (archive.isShort) return new Response(await whole(pieces), { headers });
    return new Response(await relay(pieces), { headers: sized });
  };
}

async function* watched(archive: Archive, { ended }: ArchiveRequest): AsyncGenerator<Uint8Array, void> {
  try {
    yield* archive.pieces();
    await ended?.(true);
  } finally {
    await archive.close();
    await ended?.(false);
  }
}

/** Pieces share their memory. */
async function whole(pieces: AsyncGenerator<Uint8Array, void>): Promise<Uint8Array<ArrayBuffer>> {
  const copies: Buffer[] = [];
  for await (const piece of pieces) copies.push(Buffer.from(piece));
  return Buffer.concat(copies);
}
