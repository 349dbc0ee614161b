/** A shared folder, or one inside it, as a ZIP file: one download. */
import { streamPages } from "../../http/stream-pages.ts";
import type { Logger } from "../../lib/logger.ts";
import type { VisitorPages } from "../../visitors/look.ts";
import { messagePage } from "../../visitors/messages.ts";
import { answerPage } from "../../visitors/page.ts";
import type { AnswerArchive } from "../archive/archive-answer.ts";
import type { Visitor } from "./relay.routes.ts";
import type { SharedEntry } from "./share.ts";
import type { Shares } from "./service.ts";

export type ShareArchive = (
  share: SharedEntry,
  folderId: number,
  request: Request,
  visitor: Visitor,
) => Promise<Response>;

type Deps = {
  shares: Pick<Shares, "count" | "finish" | "uncount" | "folders">;
  answerArchive: AnswerArchive;
  pages: VisitorPages;
  logger: Logger;
};

export function createShareArchive({ shares, answerArchive, pages, logger }: Deps): ShareArchive {
  return async (share, folderId, request, visitor) => {
    const { linkId, maxDownloads, downloads } = share;
    const folder = (await shares.folders(share, folderId)).at(-1)!;
    const isGet = request.method === "GET";
    const isLimited = maxDownloads !== null;
    if (isLimited && !(isGet ? await shares.count(linkId) : downloads < maxDownloads)) {
      const look = pages.look(request);
      return answerPage(messagePage(look, look.texts.share.usedUp), 410, request);
    }
    let isOver = !isGet;
    /** A limited share counted at the start. */
    const ended = async (isFinished: boolean): Promise<void> => {
      if (isOver) return;
      isOver = true;
      try {
        if (!isLimited && isFinished) await shares.finish(linkId);
        if (isLimited && !isFinished) await shares.uncount(linkId);
      } catch (err) {
        logger.warn({ err, linkId }, "a download from a share could not be counted");
      }
    };
    visitor.liftIdleTimeout();
    try {
      const answer = await answerArchive(folder, {
        method: request.method,
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
