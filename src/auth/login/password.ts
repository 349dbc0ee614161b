/**
 * Password hashes: argon2id with OWASP's first choice of parameters (19 MiB, two passes, one lane), computed off the
 * event loop. At most two run at once, which bounds memory. Bounded queues take turns, so a flood in one never fills
 * the others.
 */
import type { AuthCore } from "../auth-core.ts";
import { appError } from "../../lib/errors.ts";
import { isForeignHash, verifyForeign } from "../../lib/password-hash.ts";
import { keptAddress } from "../../lib/kept-address.ts";
import type { Account } from "../account.ts";
import type { AccountDelay, DelayKey } from "./account-delay.ts";
import { canMatchPassword, NO_PASSWORD, PASSWORD_MAX_BYTES } from "../users/user.ts";

type HashCost = { memoryCost: number; timeCost: number };
/** Memory in KiB, and passes. */
const COST: HashCost = { memoryCost: 19_456, timeCost: 2 };
const AT_ONCE = 2;
const MOST_WAITING = 64;

/** Imported hashes must not exhaust memory or time. */
const MOST_MEMORY_KIB = 262_144;
const MOST_PASSES = 16;
const PHC_FORM = /^\$argon2(?:id|i|d)\$v=\d+\$m=(\d{1,7}),t=(\d{1,3}),p=\d{1,3}(?:,[^$]*)?\$/;

/** Checked for an unknown account, to take the time of a wrong password. */
export const DUMMY_HASH =
  "$argon2id$v=19$m=19456,t=2,p=1$9i/a/bTTXUaunndi1XmBa+uouDWEve5ksTNtuudl1tM$HMHGlkCSSjP6LD2caLACQbNa1DwMMVBU8gDwHaB1h4c";

/** "sign-in" is for unknown browsers, `account …` for known ones. */
export type PasswordQueue = "sign-in" | "shares" | "links" | "new passwords" | `account ${number}`;

export type Passwords = ReturnType<typeof createPasswords>;

export function createPasswords(mostWaiting = MOST_WAITING, cost = COST) {
  /** Non-empty queues, the next to serve first. */
  const queues = new Map<PasswordQueue, (() => void)[]>();
  let running = 0;

  /** @throws ServiceUnavailable */
  function refuseWhenFull(queue: PasswordQueue): void {
    if (running < AT_ONCE || (queues.get(queue)?.length ?? 0) < mostWaiting) return;
    throw appError("ServiceUnavailable", "Too many password checks are waiting. Try again in a moment.", {
      details: { retryAfterSeconds: 1 },
    });
  }

  /** Moves the waiter's queue to the end. */
  function takeNext(): (() => void) | undefined {
    for (const [queue, waiting] of queues) {
      const next = waiting.shift();
      queues.delete(queue);
      if (waiting.length > 0) queues.set(queue, waiting);
      return next;
    }
    return undefined;
  }

  const inTurn = async <T>(queue: PasswordQueue, work: () => Promise<T>): Promise<T> => {
    refuseWhenFull(queue);
    if (running < AT_ONCE) running++;
    else {
      const waiting = queues.getOrInsertComputed(queue, () => []);
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      // Hands the slot over directly, so no new request takes it.
      const next = takeNext();
      if (next === undefined) running--;
      else next();
    }
  };

  return {
    /** Returns the PHC form; `plain` must not be empty. @throws ServiceUnavailable when the queue is full */
    hashPassword: (plain: string): Promise<string> =>
      inTurn("new passwords", () => Bun.password.hash(plain, { algorithm: "argon2id", ...cost })),
    /**
     * Argon2, and the hashes of other products. False for others and for those that exceed the bounds.
     * @throws ServiceUnavailable when the queue is full
     */
    async verifyPassword(plain: string, hash: string, queue: PasswordQueue): Promise<boolean> {
      if (!isBoundedHash(hash) && !isForeignHash(hash)) return false;
      return inTurn(queue, async () => {
        try {
          return isForeignHash(hash)
            ? await verifyForeign(plain, hash)
            : await Bun.password.verify(plain, hash);
        } catch (error) {
          if (String((error as { code?: unknown }).code).startsWith("PASSWORD_")) return false;
          throw error;
        }
      });
    },
    refuseWhenFull,
  };
}

function isBoundedHash(hash: string): boolean {
  const match = hash.length <= 512 ? PHC_FORM.exec(hash) : null;
  return match !== null && Number(match[1]) <= MOST_MEMORY_KIB && Number(match[2]) <= MOST_PASSES;
}

export type PasswordHolder = { account: Account; passwordHash: string; disabled: boolean };

export type PasswordAttempt = {
  password: string;
  candidate: PasswordHolder | null;
  /** The key of the delay, or null when the name can't be a username. */
  key: DelayKey | null;
  address: string;
  queue: PasswordQueue;
};

type VisitorAttempt = {
  what: "link" | "share" | "report";
  linkId: number;
  password: string;
  passwordHash: string;
};

type Deps = AuthCore & { passwords: Passwords; accountDelay: AccountDelay };

export type PasswordCheck = ReturnType<typeof createPasswordCheck>;

/**
 * Checks the password of an account, share or link: first the delay, then one verification. Response and time are the
 * same for an unknown account, a wrong password and a disabled account. Callers apply the limit per address before they
 * read the body.
 */
export function createPasswordCheck({ passwords, accountDelay, logger, onFailure, config }: Deps) {
  /**
   * Counts a failure, then verifies; the caller clears it after a match. A failed check does not count.
   * @throws RateLimitExceeded, ServiceUnavailable
   */
  async function matches(
    passwordHash: string,
    { password, key, queue }: Omit<PasswordAttempt, "candidate" | "address">,
  ): Promise<boolean> {
    passwords.refuseWhenFull(queue);
    if (key !== null) await accountDelay.charge(key);
    // No stored password is longer.
    if (Buffer.byteLength(password) > PASSWORD_MAX_BYTES) return false;
    try {
      return await passwords.verifyPassword(password, passwordHash, queue);
    } catch (error) {
      if (key !== null) await accountDelay.revert(key);
      throw error;
    }
  }

  return {
    /** @throws AuthFailed, RateLimitExceeded, ServiceUnavailable */
    async check({ candidate, ...attempt }: PasswordAttempt): Promise<PasswordHolder> {
      const hash = candidate?.passwordHash ?? NO_PASSWORD;
      const isSet = canMatchPassword(hash);
      const isMatch = await matches(isSet ? hash : DUMMY_HASH, attempt);
      if (!isMatch || candidate === null || !isSet || candidate.disabled) {
        onFailure("password");
        // The id: nobody deletes names from logs, and an unknown one may be a password typed into the wrong field.
        const account = candidate?.account.id ?? null;
        logger.warn(
          { address: keptAddress(attempt.address, config.get("privacy.addresses")), account },
          "wrong password",
        );
        throw appError("AuthFailed", "The account name or the password is wrong.");
      }
      if (attempt.key !== null) await accountDelay.clear(attempt.key);
      return candidate;
    },

    /** @throws RateLimitExceeded, ServiceUnavailable */
    async checkVisitor({ what, linkId, passwordHash, password }: VisitorAttempt): Promise<boolean> {
      const key = { what, linkId };
      const queue = what === "link" ? "links" : "shares";
      const isMatch = await matches(passwordHash, { password, key, queue });
      if (isMatch) await accountDelay.clear(key);
      return isMatch;
    },
  };
}
