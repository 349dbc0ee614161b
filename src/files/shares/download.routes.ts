/**
 * Downloads from shares pass through Waymark, because they count. A relayed one counts when the connection has taken
 * its last byte. One that the system sends from a file, and every one of a limited share, counts at its start and is
 * taken back if the client leaves.
 */
import type { Logger } from "../../lib/logger.ts";
import type { Blobs } from "../blobs/service.ts";
import { createDownload } from "../tree/download.ts";
import type { StoredFile } from "../tree/entry.ts";
import type { VisitorPages } from "../../visitors/look.ts";
import { relayTo, type Visitor } from "./relay.routes.ts";
import type { VisitedShare } from "./share.ts";
import type { Shares } from "./service.ts";
import { answerCounted } from "./tally.ts";

export type ShareDownload = ReturnType<typeof createShareDownload>;

type Deps = {
  shares: Pick<Shares, "count" | "finish" | "tell" | "uncount">;
  blobs: Pick<Blobs, "open">;
  pages: VisitorPages;
  logger: Logger;
};

/** Only an unlimited share obeys these: parts of a limited one would count as downloads. */
const HEEDED = /^(?:range|if-range|if-match|if-none-match|if-modified-since|if-unmodified-since)$/i;

export function createShareDownload({ shares, blobs, pages, logger }: Deps) {
  const download = createDownload({ blobs: { open: blobs.open, presign: async () => null } });

  return async (share: VisitedShare, file: StoredFile, request: Request, visitor: Visitor) => {
    const isLimited = share.maxDownloads !== null;
    const visit = { action: "download", name: file.name } as const;
    return answerCounted({ shares, pages, logger }, share, { request, visit }, async (tally) => {
      // The client may leave before anything reads the body.
      request.signal.addEventListener("abort", () => void tally?.takeBack(), { once: true });
      let isStreamed = false;
      let reachesEnd = false;
      const answer = await download(file, {
        method: request.method,
        header: (name) =>
          !isLimited && HEEDED.test(name) ? (request.headers.get(name) ?? undefined) : undefined,
        inline: false,
        signal: request.signal,
        request,
        relay(stream) {
          isStreamed = true;
          const finished = async () => (reachesEnd ? tally?.finish() : tally?.takeBack());
          const broken = async () => tally?.takeBack();
          return relayTo({ visitor, logger, finished, broken }, stream);
        },
      });
      reachesEnd = endsFile(answer, file.size);
      if (!reachesEnd) await tally?.takeBack();
      else if (!isStreamed) await tally?.count();
      answer.headers.set("Cache-Control", "private, no-store");
      if (isLimited) answer.headers.set("Accept-Ranges", "none");
      return answer;
    });
  };
}

function endsFile({ status, headers }: Response, size: number): boolean {
  if (status === 200) return true;
  return status === 206 && headers.get("Content-Range")?.endsWith(`-${size - 1}/${size}`) === true;
}
