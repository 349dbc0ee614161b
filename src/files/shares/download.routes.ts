/**
 * Downloads from shares always pass through Waymark, because they count as finished when the connection has taken the
 * last byte.
 */
import { streamPages } from "../../http/stream-pages.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Blobs } from "../blobs/service.ts";
import { createDownload } from "../tree/download.ts";
import type { StoredFile } from "../tree/entry.ts";
import type { Look, VisitorPages } from "../../visitors/look.ts";
import { messagePage } from "../../visitors/messages.ts";
import { answerPage } from "../../visitors/page.ts";
import type { SharedEntry } from "./share.ts";
import type { Shares } from "./service.ts";

export type Visitor = {
  liftIdleTimeout(): void;
  /** Closes the connection within seconds. */
  cut(): void;
};

export type ShareDownload = (
  share: SharedEntry,
  file: StoredFile,
  request: Request,
  visitor: Visitor,
) => Promise<Response>;

type Deps = {
  shares: Pick<Shares, "count" | "uncount">;
  blobs: Pick<Blobs, "open">;
  pages: VisitorPages;
  logger: Logger;
};

const CHUNK_BYTES = 1024 * 1024;
/** An unlimited share obeys these: a client may resume if the file is the same. */
const HEEDED = /^(?:range|if-range|if-match|if-unmodified-since)$/i;

export function createShareDownload({ shares, blobs, pages, logger }: Deps): ShareDownload {
  const download = createDownload({
    blobs: {
      async open(id, options) {
        const opened = await blobs.open(id, options);
        return opened.body instanceof Blob ? { ...opened, body: streamOf(opened.body) } : opened;
      },
      presign: async () => null,
    },
  });

  /** Reports the end of the download once. */
  function createTally({ linkId, maxDownloads }: SharedEntry) {
    let isOver = false;
    return async (isFinished: boolean): Promise<void> => {
      if (isOver) return;
      isOver = true;
      try {
        if (maxDownloads === null && isFinished) await shares.count(linkId);
        if (maxDownloads !== null && !isFinished) await shares.uncount(linkId);
      } catch (err) {
        logger.warn({ err, linkId }, "a download from a share could not be counted");
      }
    };
  }

  return async (share, file, request, visitor) => {
    const isLimited = share.maxDownloads !== null;
    const isGet = request.method === "GET";
    if (isLimited && !(isGet ? await shares.count(share.linkId) : share.downloads < share.maxDownloads!)) {
      return usedUp(pages.look(request), request);
    }
    const end = isGet ? createTally(share) : async () => {};
    // The client may leave before anything reads the body.
    request.signal.addEventListener("abort", () => void end(false), { once: true });
    let isStreamed = false;
    let reachesEnd = false;
    try {
      const answer = await download(file, {
        method: request.method,
        // Parts of a limited share would count as downloads.
        header: (name) =>
          !isLimited && HEEDED.test(name) ? (request.headers.get(name) ?? undefined) : undefined,
        inline: false,
        signal: request.signal,
        relay(stream) {
          isStreamed = true;
          visitor.liftIdleTimeout();
          return streamPages(
            watched(
              stream,
              () => end(reachesEnd),
              () => end(false),
            ),
            {
              onFailure: (err) => logger.warn({ err }, "a download was cut off"),
              cut: visitor.cut,
              // No rest: storages with small chunks would be slow.
              restMs: 0,
            },
          );
        },
      });
      reachesEnd = endsFile(answer, file.size);
      if (!isStreamed) await end(reachesEnd);
      answer.headers.set("Cache-Control", "private, no-store");
      answer.headers.set("X-Robots-Tag", "noindex, nofollow");
      answer.headers.set("Referrer-Policy", "no-referrer");
      if (isLimited) answer.headers.set("Accept-Ranges", "none");
      return answer;
    } catch (error) {
      await end(false);
      throw error;
    }
  };
}

/** `finished` after the last byte, `broken` if reading ended before. */
async function* watched(
  stream: ReadableStream<Uint8Array>,
  finished: () => Promise<void>,
  broken: () => Promise<void>,
): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const chunk of stream as unknown as AsyncIterable<Uint8Array>) yield chunk;
    await finished();
  } finally {
    await broken();
  }
}

function endsFile({ status, headers }: Response, size: number): boolean {
  if (status === 200) return true;
  return status === 206 && headers.get("Content-Range")?.endsWith(`-${size - 1}/${size}`) === true;
}

/** Large pieces, because there is a rest between two of them. */
function streamOf(blob: Blob): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        if (at >= blob.size) return controller.close();
        const piece = new Uint8Array(await blob.slice(at, at + CHUNK_BYTES).arrayBuffer());
        at += piece.length;
        if (piece.length === 0) throw new Error("The stored file ended before its size.");
        controller.enqueue(piece);
      },
    },
    { highWaterMark: 0 },
  );
}

const usedUp = (look: Look, request: Request): Response =>
  answerPage(messagePage(look, look.texts.share.usedUp), 410, request);
