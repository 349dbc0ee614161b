/**
 * Six-digit codes by which a recipient of a share proves an address. A new one replaces the former; each works once,
 * within ten minutes, and ends after five wrong ones. An address that is not on the list gets the same answers, after
 * the same time.
 */
import { createHmac, randomInt } from "node:crypto";
import type { Clock } from "../../lib/clock.ts";
import type { Language } from "../../lib/language.ts";
import type { Logger } from "../../lib/logger.ts";
import { createRateBuckets, tooManyAttempts } from "../../lib/rate-buckets.ts";
import type { ShareMail, ShareMailTransaction } from "./mails.ts";
import type { RecipientCodesRepository } from "./codes.repository.ts";
import type { RecipientsRepository } from "./repository.ts";

type Deps = {
  repository: RecipientCodesRepository & Pick<RecipientsRepository, "emailOf">;
  mail: Pick<ShareMail, "queue">;
  write<T>(run: (tx: ShareMailTransaction) => Promise<T>): Promise<T>;
  /** Of any length, the same on all nodes. */
  secret(): string;
  clock: Clock;
  logger: Pick<Logger, "warn">;
};

type Place = { linkId: number; email: string };

export type RecipientCodes = ReturnType<typeof createCodes>;

const CODE_MINUTES = 10;
const CODE_MS = CODE_MINUTES * 60_000;
const MOST_TRIES = 5;
/** Of a recipient: so many codes at once, then one in that time. */
const CODES_AT_ONCE = 5;
const CODE_EVERY_MS = 12 * 60_000;
/** Of a share: so many tries at once, then one in that time. */
const TRIES_AT_ONCE = 30;
const TRY_EVERY_MS = 20_000;
const SHARES_REMEMBERED = 10_000;
/** No check of a code is answered earlier, so its time tells nothing. */
const ANSWER_MS = 200;

export function createCodes({ repository, mail, write, secret, clock, logger }: Deps) {
  const tries = createRateBuckets({
    clock,
    atOnce: TRIES_AT_ONCE,
    intervalMs: TRY_EVERY_MS,
    generationSize: SHARES_REMEMBERED,
  });

  const hashOf = ({ linkId, email }: Place, code: string): string =>
    createHmac("sha256", secret())
      .update(JSON.stringify(["waymark recipient code", linkId, email, code]))
      .digest("hex");

  /** @throws RateLimitExceeded */
  function takeTry(linkId: number): void {
    const waitMs = tries.tryNow(String(linkId));
    if (waitMs > 0) throw tooManyAttempts("Too many codes", waitMs);
  }

  async function send(place: Place, title: string, language: Language): Promise<void> {
    const now = clock.now();
    const code = String(randomInt(1_000_000)).padStart(6, "0");
    await write(async (tx) => {
      const isSet = await repository.setCode(tx.db, place, {
        hash: hashOf(place, code),
        until: now + CODE_MS,
        now,
        fullBefore: now + (CODES_AT_ONCE - 1) * CODE_EVERY_MS,
        intervalMs: CODE_EVERY_MS,
      });
      if (!isSet) return;
      const to = { accountId: null, email: place.email, language };
      const content = { title, code, minutes: CODE_MINUTES };
      await mail.queue(tx, to, { kind: "share_code", content }, { usefulUntil: now + CODE_MS });
    });
  }

  async function prove(place: Place, code: string): Promise<number | null> {
    const held = await repository.tryCode(place, { now: clock.now(), most: MOST_TRIES });
    if (held === null || held.hash !== hashOf(place, code)) return null;
    return (await repository.useCode(held.id, held.hash)) ? held.id : null;
  }

  return {
    emailOf: repository.emailOf,

    /** Mails a code if the address is on the list and has had few. Never rejects. No answer waits for it. */
    ask: (place: Place, title: string, language: Language): Promise<void> =>
      send(place, title, language).catch((err: unknown) => {
        logger.warn({ err, linkId: place.linkId }, "a code for a share could not be mailed");
      }),

    /** The id of the recipient; null for a wrong code. @throws RateLimitExceeded */
    async check(place: Place, code: string): Promise<number | null> {
      takeTry(place.linkId);
      const [proved] = await Promise.all([prove(place, code), Bun.sleep(ANSWER_MS)]);
      return proved;
    },
  };
}
