/**
 * The growing delay of an account, or of a share, after wrong passwords, shared by all workers and nodes and kept over
 * restarts.
 *
 * Four wrong passwords are free, the fifth makes the account wait 1 s, each further one twice as long, 15 minutes at
 * most. A try is counted before the password is checked and taken back by success, so a thousand guesses sent at once
 * don't all slip in before the first is counted. Who comes during the delay is refused without being counted, so
 * nobody can push the delay further than 15 minutes, and a day without a try forgets it.
 *
 * Names that don't exist are counted alike, or the delay would tell which ones do. Somebody who keeps guessing could
 * still hold the one free try of each delay and so keep the owner out. Therefore a browser that signed in to the
 * account before, and proves it by its refresh token or device cookie, is counted by itself (OWASP's device cookies),
 * and `waymark reset-password` and `waymark users passwd` clear the delay.
 */
import type { Clock } from "../../lib/clock.ts";
import { tooManyAttempts } from "../address-limit.ts";
import type { LoginFailuresRepository } from "./failures.repository.ts";

const FREE_FAILURES = 4;
const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 15 * 60_000;
const FORGOTTEN_MS = 86_400_000;
/** Lost races against other processes for one row after which a try is refused as if it came too fast. */
const MOST_RACES = 10;

/** An account by its name, a browser by the session it once had with it, or a share by its link. */
export type DelayKey = { username: string } | { sessionId: string } | { shareId: number };

export type AccountDelay = ReturnType<typeof createAccountDelay>;

export function createAccountDelay({
  repository,
  clock,
}: {
  repository: LoginFailuresRepository;
  clock: Clock;
}) {
  return {
    /** Counts a try as failed until `clear`. @throws RateLimitExceeded during the delay */
    async charge(key: DelayKey): Promise<void> {
      for (let race = 0; race < MOST_RACES; race++) {
        const now = clock.now();
        const known = await repository.find(rowKey(key));
        const waitMs = known === null ? 0 : known.retryAt - now;
        // Longer than the longest delay it can only be when the clock was set back.
        if (waitMs > 0 && waitMs <= LONGEST_DELAY_MS) throw refused(key, waitMs);
        const isForgotten = known === null || Math.abs(now - known.updatedAt) >= FORGOTTEN_MS;
        const failures = (isForgotten ? 0 : known.failures) + 1;
        const next = { failures, retryAt: now + delayAfter(failures), updatedAt: now };
        if (await repository.replace(rowKey(key), known, next)) return;
      }
      throw refused(key, FIRST_DELAY_MS);
    },

    /** Uncounts a try whose password was not checked; the next may come at once, as that one might. */
    async takeBack(key: DelayKey): Promise<void> {
      for (let race = 0; race < MOST_RACES; race++) {
        const known = await repository.find(rowKey(key));
        if (known === null || known.failures === 0) return;
        const next = { ...known, failures: known.failures - 1, retryAt: known.updatedAt };
        if (await repository.replace(rowKey(key), known, next)) return;
      }
    },

    clear: (key: DelayKey): Promise<void> => repository.remove(rowKey(key)),

    /** Removes at most `limit` rows that no longer matter; returns how many. */
    removeForgotten: (limit: number): Promise<number> =>
      repository.removeStale(clock.now() - FORGOTTEN_MS, limit),
  };
}

/** Milliseconds to wait after that many failures in a row. */
export function delayAfter(failures: number): number {
  if (failures <= FREE_FAILURES) return 0;
  return Math.min(FIRST_DELAY_MS * 2 ** (failures - FREE_FAILURES - 1), LONGEST_DELAY_MS);
}

/** A blank can't be in a username, so the kinds never meet. */
function rowKey(key: DelayKey): string {
  if ("username" in key) return key.username;
  return "sessionId" in key ? `session ${key.sessionId}` : `share ${key.shareId}`;
}

const refused = (key: DelayKey, waitMs: number) =>
  tooManyAttempts(`Too many wrong passwords for this ${"shareId" in key ? "share" : "account"}`, waitMs);
