/** Counts downloads of a share; those of a limited one at the start. */
import type { Logger } from "../../lib/logger.ts";
import type { VisitorPages } from "../../visitors/look.ts";
import { messagePage } from "../../visitors/messages.ts";
import { answerPage } from "../../visitors/page.ts";
import type { VisitStep, SharedEntry, VisitedShare } from "./share.ts";
import type { Shares } from "./service.ts";

type Counts = Pick<Shares, "count" | "finish" | "uncount">;

/** Takes a download of a limited share. For HEAD (`takes` false) only checks. */
export async function mayDownload(
  { count }: Pick<Counts, "count">,
  { linkId, maxDownloads, downloads }: SharedEntry,
  takes: boolean,
): Promise<boolean> {
  if (maxDownloads === null) return true;
  return takes ? count(linkId) : downloads < maxDownloads;
}

export function usedUp(pages: VisitorPages, request: Request): Response {
  const look = pages.look(request);
  return answerPage(messagePage(look, look.texts.share.usedUp), 410, request);
}

/** Counts one download at most, and takes it back at most once, in this order. */
export function createTally(
  { shares, logger }: { shares: Counts & Pick<Shares, "tell">; logger: Logger },
  share: VisitedShare,
  visit: VisitStep,
) {
  const { linkId, maxDownloads } = share;
  let isCounted = maxDownloads !== null;
  let isOver = false;
  let isTold = false;
  let last: Promise<void> = Promise.resolve();
  const then = (step: () => Promise<unknown>): Promise<void> => {
    last = last.then(step).then(
      () => {},
      (err: unknown) => logger.warn({ err, linkId }, "a download from a share could not be counted"),
    );
    return last;
  };
  const count = async (): Promise<void> => {
    if (isTold || isOver) return;
    isTold = true;
    if (!isCounted) {
      isCounted = true;
      await then(() => shares.finish(linkId));
    }
    void then(() => shares.tell(share, visit));
  };
  return {
    count,
    async finish(): Promise<void> {
      const counting = count();
      isOver = true;
      await counting;
    },
    async takeBack(): Promise<void> {
      if (isOver) return;
      isOver = true;
      if (isCounted) await then(() => shares.uncount(linkId));
    },
  };
}
