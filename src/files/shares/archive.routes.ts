/** A shared folder, or one inside it, as a ZIP file, which counts as one download. */
import { streamPages } from "../../platform/http/stream-pages.ts";
import type { Logger } from "../../lib/logger.ts";
import type { VisitorPages } from "../../visitors/look.ts";
import type { RespondWithArchive } from "../archive/archive-answer.ts";
import type { Visitor } from "./relay.routes.ts";
import { ITEMS, type VisitedShare } from "./share.ts";
import type { Shares } from "./service.ts";
import { answerCounted } from "./tally.ts";

export type ShareArchive = ReturnType<typeof createShareArchive>;

type Deps = {
  shares: Pick<Shares, "count" | "finish" | "tell" | "uncount" | "folders" | "items">;
  respondWithArchive: RespondWithArchive;
  pages: VisitorPages;
  logger: Logger;
};

export function createShareArchive({ shares, respondWithArchive, pages, logger }: Deps) {
  return async (share: VisitedShare, folderId: number, request: Request, visitor: Visitor) => {
    const { linkId } = share;
    const folder = (await shares.folders(share, folderId)).at(-1)!;
    const visit = { action: "archive", name: folder.name } as const;
    return answerCounted({ shares, pages, logger }, share, { request, visit }, async (tally) => {
      visitor.liftIdleTimeout();
      return respondWithArchive(folder, {
        method: request.method,
        ...(folder.id === ITEMS && { items: await shares.items(share) }),
        signal: request.signal,
        ended: async (isFinished) => (isFinished ? tally?.finish() : tally?.takeBack()),
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
