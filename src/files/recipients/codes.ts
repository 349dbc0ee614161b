/**
 * Six-digit codes by which a recipient of a share proves an address. A new one replaces the former; each works once,
 * within ten minutes. Codes and tries are counted by recipient and client address, so that strangers lock nobody out,
 * and for all addresses together, so that many can't guess a code. An address that is not on the list gets the same
 * responses, after the same time.
 */
import { createHmac, randomInt } from "node:crypto";
import type { Changes } from "../../platform/cluster/changes.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Language } from "../../lib/language.ts";
import type { Logger } from "../../lib/logger.ts";
import { tooManyAttempts } from "../../lib/rate-buckets.ts";
import type { ShareMail } from "./mails.ts";
import type { TryLimit } from "./codes.repository.ts";
import type { RecipientsRepository } from "./repository.ts";

type Deps = {
  repository: RecipientsRepository;
  mail: Pick<ShareMail, "queue">;
  changes: Changes;
  /** A secret of any length, the same on all nodes. */
  secret(): string;
  clock: Clock;
  logger: Pick<Logger, "warn">;
  /** No check of a code ends earlier, so its time reveals nothing. */
  checkMs?: number;
};

type Place = { linkId: number; email: string };
/** `client`: the address of who asks, or its group. */
type CodeRequest = Place & { client: string };

export type RecipientCodes = ReturnType<typeof createCodes>;

const CODE_MINUTES = 10;
const CODE_MS = CODE_MINUTES * 60_000;
/** The most tries of a code, from all addresses. */
const MOST_TRIES = 25;
/** The most codes of a recipient, from all addresses. While one floods, a code that works is always in the mailbox. */
const CODES_AT_ONCE = 10;
const CODE_EVERY_MS = 6 * 60_000;
/** Codes and tries of a recipient from one address. */
const CODE_LIMIT: TryLimit = { atOnce: 3, intervalMs: 12 * 60_000 };
const TRY_LIMIT: TryLimit = { atOnce: 5, intervalMs: 2 * 60_000 };
/** Tries of the codes of a share from all addresses: it may have a hundred recipients. */
const SHARE_TRY_LIMIT: TryLimit = { atOnce: 100, intervalMs: 20_000 };
const CHECK_MS = 200;

export function createCodes(deps: Deps) {
  const { repository, mail, changes, secret, clock, logger, checkMs = CHECK_MS } = deps;

  const hashOf = ({ linkId, email }: Place, code: string): string =>
    createHmac("sha256", secret())
      .update(JSON.stringify(["waymark recipient code", linkId, email, code]))
      .digest("hex");

  /** Neither mail address nor client address is stored. */
  function keyOf(what: "ask" | "code", { linkId, email, client }: CodeRequest): string {
    const whose = JSON.stringify(["waymark recipient tries", email, client]);
    return `${what} ${linkId} ${createHmac("sha256", secret()).update(whose).digest("hex")}`;
  }
  const shareKey = (linkId: number): string => `codes ${linkId}`;

  async function send(request: CodeRequest, title: string, language: Language): Promise<void> {
    const now = clock.now();
    if ((await repository.takeTry(keyOf("ask", request), CODE_LIMIT, now)) > 0) return;
    const place = { linkId: request.linkId, email: request.email };
    const code = String(randomInt(1_000_000)).padStart(6, "0");
    await changes.write(async (tx) => {
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

  async function verify(place: Place, code: string): Promise<number | null> {
    const now = clock.now();
    const held = await repository.tryCode(place, { now, most: MOST_TRIES });
    // Codes that nobody has are not guessed, so they don't count.
    if (held === null || (await repository.takeTry(shareKey(place.linkId), SHARE_TRY_LIMIT, now)) > 0)
      return null;
    if (held.hash !== hashOf(place, code) || !(await repository.useCode(held.id, held.hash))) return null;
    await repository.giveTryBack(shareKey(place.linkId), SHARE_TRY_LIMIT);
    return held.id;
  }

  return {
    emailOf: repository.emailOf,

    /** Mails a code if the address is on the list and has had few. Never rejects. No response waits for it. */
    request: (request: CodeRequest, title: string, language: Language): Promise<void> =>
      send(request, title, language).catch((err: unknown) => {
        logger.warn({ err, linkId: request.linkId }, "a code for a share could not be mailed");
      }),

    /** The id of the recipient; null for a wrong code. @throws RateLimitExceeded */
    async check(request: CodeRequest, code: string): Promise<number | null> {
      const { linkId, email } = request;
      const key = keyOf("code", request);
      const now = clock.now();
      const waitMs =
        (await repository.takeTry(key, TRY_LIMIT, now)) ||
        (await repository.waitForTry(shareKey(linkId), SHARE_TRY_LIMIT, now));
      if (waitMs > 0) throw tooManyAttempts("Too many codes", waitMs);
      const [recipient] = await Promise.all([verify({ linkId, email }, code), Bun.sleep(checkMs)]);
      if (recipient !== null) await repository.giveTryBack(key, TRY_LIMIT);
      return recipient;
    },
  };
}
