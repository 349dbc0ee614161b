/**
 * The delay after wrong passwords of an account, share or link, in the database: shared by all nodes, kept over
 * restarts. Four failures are free; the fifth costs 1 s, each further one twice as long, up to 15 minutes. An attempt
 * counts before its check, so parallel guesses count too; attempts during the delay do not. Unknown names have delays
 * too, so a delay reveals nothing. Known browsers: docs/sign-in.md.
 */
import type { Clock } from "../../lib/clock.ts";
import { tooManyAttempts } from "../../lib/rate-buckets.ts";
import type { LoginFailuresRepository } from "./failures.repository.ts";

const FREE_FAILURES = 4;
const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 15 * 60_000;
const FORGOTTEN_MS = 86_400_000;
/** Lost races for a row before the attempt is refused. */
const MOST_RACES = 10;

/** An account, or a browser that is known to it. */
export type FactorKey = { username: string } | { sessionId: string };

/** A username, a known browser by its former session, or a link, which may serve a share. */
export type DelayKey =
  | FactorKey
  /** The codes of one of these two. */
  | { secondFactorOf: FactorKey }
  /** The names that an account tries. */
  | { namesTriedBy: number }
  | { what: "link" | "share" | "report"; linkId: number };

/**
 * Of who gives a code. Only browsers that have shown the second factor before count apart: others would get fresh tries
 * with each session.
 */
export const factorKeyOf = ({ username }: { username: string }, factorId: string | null = null): FactorKey =>
  factorId === null ? { username } : { sessionId: factorId };

export type AccountDelay = ReturnType<typeof createAccountDelay>;

export function createAccountDelay({
  repository,
  clock,
}: {
  repository: LoginFailuresRepository;
  clock: Clock;
}) {
  return {
    /** Counts a failure until `clear`. @throws RateLimitExceeded during the delay */
    async charge(key: DelayKey): Promise<void> {
      for (let race = 0; race < MOST_RACES; race++) {
        const now = clock.now();
        const known = await repository.find(rowKey(key));
        const waitMs = known === null ? 0 : known.retryAt - now;
        // Only a clock that was set back makes it longer.
        if (waitMs > 0 && waitMs <= LONGEST_DELAY_MS) throw tooManyFailures(key, waitMs);
        const isForgotten = known === null || Math.abs(now - known.updatedAt) >= FORGOTTEN_MS;
        const failures = (isForgotten ? 0 : known.failures) + 1;
        const next = { failures, retryAt: now + delayAfter(failures), updatedAt: now };
        if (await repository.replace(rowKey(key), known, next)) return;
      }
      throw tooManyFailures(key, FIRST_DELAY_MS);
    },

    /** Reverts the charge of an attempt whose password was not checked. */
    async revert(key: DelayKey): Promise<void> {
      for (let race = 0; race < MOST_RACES; race++) {
        const known = await repository.find(rowKey(key));
        if (known === null || known.failures === 0) return;
        const next = { ...known, failures: known.failures - 1, retryAt: known.updatedAt };
        if (await repository.replace(rowKey(key), known, next)) return;
      }
    },

    clear: (key: DelayKey): Promise<void> => repository.remove(rowKey(key)),

    /** Returns how many. */
    removeForgotten: (limit: number): Promise<number> =>
      repository.removeStale(clock.now() - FORGOTTEN_MS, limit),
  };
}

/** Milliseconds, after this many failures in a row. */
export function delayAfter(failures: number): number {
  if (failures <= FREE_FAILURES) return 0;
  return Math.min(FIRST_DELAY_MS * 2 ** (failures - FREE_FAILURES - 1), LONGEST_DELAY_MS);
}

/** Usernames contain no blank, so the kinds can't collide. */
function rowKey(key: DelayKey): string {
  if ("username" in key) return key.username;
  if ("secondFactorOf" in key) return `factor ${rowKey(key.secondFactorOf)}`;
  if ("namesTriedBy" in key) return `names ${key.namesTriedBy}`;
  return "sessionId" in key ? `session ${key.sessionId}` : `${key.what} ${key.linkId}`;
}

const tooManyFailures = (key: DelayKey, waitMs: number) => {
  if ("namesTriedBy" in key) return tooManyAttempts("Too many names of others were tried", waitMs);
  const what = "secondFactorOf" in key ? "codes" : "passwords";
  return tooManyAttempts(`Too many wrong ${what} for this ${"what" in key ? key.what : "account"}`, waitMs);
};
