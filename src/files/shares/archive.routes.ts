/** A shared folder, or one inside it, as a ZIP file, which counts as one download. */
import { streamPages } from "../../http/stream-pages.ts";
import type { Logger } from "../../lib/logger.ts";
import type { VisitorPages } from "../../visitors/look.ts";
import type { AnswerArchive } from "../archive/archive-answer.ts";
import type { Visitor } from "./relay.routes.ts";
import { ITEMS, type VisitedShare } from "./share.ts";
import type { Shares } from "./service.ts";
import { createTally, mayDownload, usedUp } from "./tally.ts";

export type ShareArchive = (
  share: VisitedShare,
  folderId: number,
  request: Request,
  visitor: Visitor,
) => Promise<Response>;

type Deps = {
  shares: Pick<Shares, "count" | "finish" | "tell" | "uncount" | "folders" | "items">;
  answerArchive: AnswerArchive;
  pages: VisitorPages;
  logger: Logger;
};

export function createShareArchive({ shares, answerArchive, pages, logger }: Deps): ShareArchive {
  return async (share, folderId, request, visitor) => {
    const { linkId } = share;
    const folder = (await shares.folders(share, folderId)).at(-1)!;
    const isGet = request.method === "GET";
    if (!(await mayDownload(shares, share, isGet))) return usedUp(pages, request);
    const tally = isGet
      ? createTally({ shares, logger }, share, { action: "archive", name: folder.name })
      : null;
    const ended = async (isFinished: boolean) => (isFinished ? tally?.finish() : tally?.takeBack());
    visitor.liftIdleTimeout();
    try {
      const answer = await answerArchive(folder, {
        method: request.method,
        ...(folder.id === ITEMS && { items: await shares.items(share) }),
        signal: request.signal,
        ended,
        relay: (pieces) =>
          streamPages(pieces, {
            onFailure: (err) => logger.warn({ err, linkId }, "an archive was cut off"),
            cut: visitor.cut,
            restMs: 0,
          }),
      });
      answer.headers.set("X-Robots-Tag", "noindex, nofollow");
      answer.headers.set("Referrer-Policy", "no-referrer");
      return answer;
    } catch (error) {
      await ended(false);
      throw error;
    }
  };
}
