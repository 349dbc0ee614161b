/**
 * Downloads from shares pass through Waymark, because they count. A relayed one counts when the connection has taken
 * its last byte. One that the system sends from a file, and every one of a limited share, counts at its start and is
 * taken back if the client leaves. Visits, events and mails follow the last byte of each.
 */
import type { Logger } from "../../lib/logger.ts";
import type { Blobs } from "../blobs/service.ts";
import { createDownload } from "../tree/download.routes.ts";
import type { StoredFile } from "../tree/entry.ts";
import type { VisitorPages } from "../../visitors/look.ts";
import { type VisitedShare, type VisitStep, type SharedEntry, ITEMS } from "./share.ts";
import type { Shares } from "./service.ts";
import { messagePage } from "../../visitors/messages.ts";
import { pageResponse } from "../../visitors/page.ts";
import type { Clock } from "../../lib/clock.ts";
import { streamPages } from "../../platform/http/stream-pages.ts";
import type { RespondWithArchive } from "../archive/routes.ts";

type Deps = {
  shares: Shares;
  blobs: Pick<Blobs, "open" | "find" | "openFound">;
  clock: Clock;
  respondWithArchive: RespondWithArchive;
  pages: VisitorPages;
  logger: Logger;
};

export type ShareDownloads = ReturnType<typeof createShareDownloads>;

export const createShareDownloads = (deps: Deps) => ({
  file: createFileDownload(deps),
  archive: createArchiveDownload(deps),
});

/** Only an unlimited share obeys these: parts of a limited one would count as downloads. */
const HEEDED = /^(?:range|if-range|if-match|if-none-match|if-modified-since|if-unmodified-since)$/i;

function createFileDownload({ shares, blobs, clock, pages, logger }: Deps) {
  const download = createDownload({ blobs: { ...blobs, presign: async () => null }, clock });

  return async (share: VisitedShare, file: StoredFile, request: Request, visitor: Downloader) => {
    const isLimited = share.maxDownloads !== null;
    const visit = { action: "download", name: file.name } as const;
    return respondCounted({ shares, pages, logger }, share, { request, visit }, async (tally) => {
      // The client may leave before anything reads the body.
      request.signal.addEventListener("abort", () => void tally?.revert(), { once: true });
      let isStreamed = false;
      let reachesEnd = false;
      const response = await download(file, {
        method: request.method,
        header: (name) =>
          !isLimited && HEEDED.test(name) ? (request.headers.get(name) ?? undefined) : undefined,
        inline: false,
        signal: request.signal,
        source: request,
        relay(stream) {
          isStreamed = true;
          const finished = async () => (reachesEnd ? tally?.finish() : tally?.revert());
          const broken = async () => tally?.revert();
          return relayTo({ visitor, logger, finished, broken }, stream);
        },
      });
      reachesEnd = endsFile(response, file.size);
      if (!reachesEnd) await tally?.revert();
      else if (!isStreamed) await tally?.countUntil(visitor.responded());
      response.headers.set("Cache-Control", "private, no-store");
      if (isLimited) response.headers.set("Accept-Ranges", "none");
      return response;
    });
  };
}

function endsFile({ status, headers }: Response, size: number): boolean {
  if (status === 200) return true;
  return status === 206 && headers.get("Content-Range")?.endsWith(`-${size - 1}/${size}`) === true;
}

type Counting = Pick<Deps, "shares" | "pages" | "logger">;

/** Sends what counts as a download, unless there are none left. For HEAD it counts nothing, and has no tally. */
async function respondCounted(
  { shares, pages, logger }: Counting,
  share: VisitedShare,
  { request, visit }: { request: Request; visit: VisitStep },
  send: (tally: Tally | null) => Promise<Response>,
): Promise<Response> {
  const isGet = request.method === "GET";
  if (!(await mayDownload(shares, share, isGet))) {
    const look = pages.look(request);
    return pageResponse(messagePage(look, look.texts.share.usedUp), 410, request);
  }
  const tally = isGet ? createTally({ shares, pages, logger }, share, visit) : null;
  try {
    const response = await send(tally);
    response.headers.set("X-Robots-Tag", "noindex, nofollow");
    response.headers.set("Referrer-Policy", "no-referrer");
    // A proxy would read on for a client that has left.
    if (share.maxDownloads !== null) response.headers.set("X-Accel-Buffering", "no");
    return response;
  } catch (error) {
    await tally?.revert();
    throw error;
  }
}

/** Takes a download of a limited share. For HEAD (`takes` false) only checks. */
async function mayDownload(
  { count }: Shares,
  { linkId, maxDownloads, downloads }: SharedEntry,
  takes: boolean,
): Promise<boolean> {
  if (maxDownloads === null) return true;
  return takes ? count(linkId) : downloads < maxDownloads;
}

type Tally = ReturnType<typeof createTally>;

/** Counts one download at most, and reports it at its end or takes it back at most once, in this order. */
function createTally({ shares, logger }: Counting, share: VisitedShare, visit: VisitStep) {
  const { linkId, maxDownloads } = share;
  let isCounted = maxDownloads !== null;
  let isOver = false;
  let last: Promise<void> = Promise.resolve();
  const then = (step: () => Promise<unknown>): Promise<void> => {
    last = last.then(step).then(
      () => {},
      (err: unknown) => logger.warn({ err, linkId }, "a download from a share could not be counted"),
    );
    return last;
  };
  const count = async (): Promise<void> => {
    if (isCounted || isOver) return;
    isCounted = true;
    await then(() => shares.finish(linkId));
  };
  const finish = async (): Promise<void> => {
    if (isOver) return;
    const counting = count();
    isOver = true;
    await counting;
    void then(() => shares.reportDownload(share, visit));
  };
  const revert = async (): Promise<void> => {
    if (isOver) return;
    isOver = true;
    if (isCounted) await then(() => shares.uncount(linkId));
  };
  return {
    finish,
    revert,
    /** Counts it now, and reports or reverts it once `isWhole` says how the response has ended. */
    async countUntil(isWhole: Promise<boolean>): Promise<void> {
      void isWhole.then((whole) => (whole ? finish() : revert()));
      await count();
    },
  };
}

/** Sends a shared folder, or one inside it, as a ZIP file, which counts as one download. */
function createArchiveDownload({ shares, respondWithArchive, pages, logger }: Deps) {
  return async (share: VisitedShare, folderId: number, request: Request, visitor: Visitor) => {
    const { linkId } = share;
    const folder = (await shares.folders(share, folderId)).at(-1)!;
    const visit = { action: "archive", name: folder.name } as const;
    return respondCounted({ shares, pages, logger }, share, { request, visit }, async (tally) => {
      visitor.liftIdleTimeout();
      return respondWithArchive(folder, {
        method: request.method,
        ...(folder.id === ITEMS && { items: await shares.items(share) }),
        signal: request.signal,
        ended: async (isFinished) => (isFinished ? tally?.finish() : tally?.revert()),
        relay: (pieces) =>
          streamPages(pieces, {
            onFailure: (err) => logger.warn({ err, linkId }, "an archive was cut off"),
            cut: visitor.cut,
            restMs: 0,
          }),
      });
    });
  };
}

export type Visitor = {
  liftIdleTimeout(): void;
  /** Closes the connection within seconds. */
  cut(): void;
};

export type Downloader = Visitor & {
  /** Whether the response leaves as a whole, once it has left or the client has. */
  responded(): Promise<boolean>;
};

export type Relay = {
  visitor: Visitor;
  logger: Logger;
  finished?(): Promise<void>;
  broken?(): Promise<void>;
};

/** Ends with `finished` after the last byte, or `broken`. */
export function relayTo(
  { visitor, logger, finished, broken }: Relay,
  stream: ReadableStream<Uint8Array>,
): Promise<ReadableStream<Uint8Array>> {
  visitor.liftIdleTimeout();
  return streamPages(watched(stream, finished, broken), {
    onFailure: (err) => logger.warn({ err }, "a download was cut off"),
    cut: visitor.cut,
    // No rest: storages with small chunks would be slow.
    restMs: 0,
  });
}

async function* watched(
  stream: ReadableStream<Uint8Array>,
  finished?: () => Promise<void>,
  broken?: () => Promise<void>,
): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const chunk of stream as unknown as AsyncIterable<Uint8Array>) yield chunk;
    await finished?.();
  } finally {
    await broken?.();
  }
}
