/** Downloads and ends of shares, which become events only while a webhook subscribes to them. */
import type { Db } from "../../platform/db/dialect.ts";
import { SYSTEM } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import type { RecordEvents } from "../../lib/event.ts";
import { pagesAfter } from "../../lib/pages.ts";
import { formatRfc3339 } from "../../lib/rfc3339.ts";
import type { ShareEndsRepository } from "./webhook.repository.ts";
import { DOWNLOADED, ENDED, type WebhookEventName } from "./webhook-events.ts";

type Deps = {
  repository: ShareEndsRepository;
  write<T>(run: (tx: { readonly db: Db }) => Promise<T>): Promise<T>;
  record: RecordEvents<Db>;
  isSubscribed(name: WebhookEventName): boolean;
  codeOf(linkKey: string): string;
  clock: Clock;
};

type Downloaded = {
  linkId: number;
  code: string;
  title: string | null;
  maxDownloads: number | null;
  isUsedUp: boolean;
};

const EVERY_MS = 10_000;
/** A first look, after a stop of all processes. */
const FIRST_MS = 7 * 86_400_000;
const AGAIN_MS = 30 * EVERY_MS;
const AT_ONCE = 200;

export function createShareEnds({ repository, write, record, isSubscribed, codeOf, clock }: Deps) {
  /** All that ended before were recorded. */
  let done = 0;

  async function end(db: Db, linkId: number, key: string, at: number, after: object): Promise<void> {
    if (await repository.isNotified(db, linkId, after)) return;
    await record(db, [{ at, actor: SYSTEM, action: ENDED, subject: codeOf(key), subjectId: linkId, after }]);
  }

  return {
    /** A download of a share has ended well. */
    async downloaded({ linkId, code, title, maxDownloads, isUsedUp }: Downloaded): Promise<void> {
      const reportsDownload = isSubscribed("share.downloaded");
      const reportsEnd = isUsedUp && isSubscribed("share.ended");
      if (!reportsDownload && !reportsEnd) return;
      const at = clock.now();
      const named = title === null ? {} : { title };
      await write(async ({ db }) => {
        const after = { ...named, ...(maxDownloads !== null && { max_downloads: maxDownloads }) };
        const subject = { subject: codeOf(code), subjectId: linkId };
        if (reportsDownload) await record(db, [{ at, actor: SYSTEM, action: DOWNLOADED, ...subject, after }]);
        if (reportsEnd) await end(db, linkId, code, at, { ...after, reason: "used_up" });
      });
    },

    /** Records shares that have expired since then. Call it often, by one process at a time. */
    async look(since: number, signal: AbortSignal): Promise<void> {
      const now = clock.now();
      if (now - done < EVERY_MS) return;
      // A share that was changed meanwhile may end before the last look.
      const from = done === 0 ? now - FIRST_MS : done - AGAIN_MS;
      const first = { endedAt: Math.max(from, since), linkId: 0 };
      const find = (after: typeof first, limit: number) => repository.expired({ after, to: now }, limit);
      for await (const ended of pagesAfter(first, AT_ONCE, find, (last) => last)) {
        if (signal.aborted) return;
        for (const { linkId, key, title, endedAt } of ended) {
          const named = title === null ? {} : { title };
          const state = { ...named, expires_at: formatRfc3339(endedAt), reason: "expired" };
          await write(({ db }) => end(db, linkId, key, endedAt, state));
        }
      }
      done = now;
    },
  };
}
