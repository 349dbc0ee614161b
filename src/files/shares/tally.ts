/** Counts downloads of a share; those of a limited one at the start. */
import type { Logger } from "../../lib/logger.ts";
import type { VisitorPages } from "../../visitors/look.ts";
import { messagePage } from "../../visitors/messages.ts";
import { pageResponse } from "../../visitors/page.ts";
import type { VisitStep, SharedEntry, VisitedShare } from "./share.ts";
import type { Shares } from "./service.ts";

type Counts = Pick<Shares, "count" | "finish" | "uncount">;

type Deps = { shares: Counts & Pick<Shares, "tell">; pages: VisitorPages; logger: Logger };

/** Sends what counts as a download, unless there are none left. For HEAD it counts nothing, and has no tally. */
export async function answerCounted(
  { shares, pages, logger }: Deps,
  share: VisitedShare,
  { request, visit }: { request: Request; visit: VisitStep },
  send: (tally: Tally | null) => Promise<Response>,
): Promise<Response> {
  const isGet = request.method === "GET";
  if (!(await mayDownload(shares, share, isGet))) {
    const look = pages.look(request);
    return pageResponse(messagePage(look, look.texts.share.usedUp), 410, request);
  }
  const tally = isGet ? createTally({ shares, logger }, share, visit) : null;
  try {
    const answer = await send(tally);
    answer.headers.set("X-Robots-Tag", "noindex, nofollow");
    answer.headers.set("Referrer-Policy", "no-referrer");
    // A proxy would read on for a client that has left.
    if (share.maxDownloads !== null) answer.headers.set("X-Accel-Buffering", "no");
    return answer;
  } catch (error) {
    await tally?.takeBack();
    throw error;
  }
}

/** Takes a download of a limited share. For HEAD (`takes` false) only checks. */
async function mayDownload(
  { count }: Pick<Counts, "count">,
  { linkId, maxDownloads, downloads }: SharedEntry,
  takes: boolean,
): Promise<boolean> {
  if (maxDownloads === null) return true;
  return takes ? count(linkId) : downloads < maxDownloads;
}

type Tally = ReturnType<typeof createTally>;

/** Counts one download at most, and takes it back at most once, in this order. */
function createTally(
  { shares, logger }: Pick<Deps, "shares" | "logger">,
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
