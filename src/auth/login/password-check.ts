/**
 * The one way a password is checked, an account's or a share's: first the delay, then exactly one verification. For
 * accounts neither the answer nor its time tells an unknown account from a wrong password or a disabled account. The
 * limit of the address comes earlier, before the request's body is read.
 */
import { appError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Account } from "../account.ts";
import type { FailureMethod } from "../auth-metrics.ts";
import type { AccountDelay, DelayKey } from "./account-delay.ts";
import { DUMMY_HASH, type PasswordQueue, type Passwords } from "./password.ts";
import { PASSWORD_MAX_BYTES } from "../users/user.ts";

export type PasswordHolder = { account: Account; passwordHash: string; disabled: boolean };

export type PasswordAttempt = {
  password: string;
  /** Null when there is no such account. */
  candidate: PasswordHolder | null;
  /** What the try is counted for; null when the name can't be an account's. */
  key: DelayKey | null;
  /** The client's address. */
  address: string;
  queue: PasswordQueue;
};

export type SharePasswordAttempt = {
  shareId: number;
  password: string;
  passwordHash: string;
};

type Deps = {
  passwords: Passwords;
  accountDelay: AccountDelay;
  logger: Logger;
  onFailure: (method: FailureMethod) => void;
};

export type PasswordCheck = ReturnType<typeof createPasswordCheck>;

export function createPasswordCheck({ passwords, accountDelay, logger, onFailure }: Deps) {
  /**
   * Counts the try as a wrong one and checks it; `clear` makes up for a right one. A try that could not be checked
   * does not count.
   * @throws RateLimitExceeded, ServiceUnavailable
   */
  async function matches(
    passwordHash: string,
    { password, key, queue }: Omit<PasswordAttempt, "candidate" | "address">,
  ): Promise<boolean> {
    // What would only be taken back is not counted.
    passwords.refuseWhenFull(queue);
    if (key !== null) await accountDelay.charge(key);
    // Longer than any stored one, whosoever's it is: no work for it.
    if (Buffer.byteLength(password) > PASSWORD_MAX_BYTES) return false;
    try {
      return await passwords.verifyPassword(password, passwordHash, queue);
    } catch (error) {
      if (key !== null) await accountDelay.takeBack(key);
      throw error;
    }
  }

  return {
    /** Returns the candidate when the password is its own. @throws AuthFailed, RateLimitExceeded, ServiceUnavailable */
    async check({ candidate, ...attempt }: PasswordAttempt): Promise<PasswordHolder> {
      const isMatch = await matches(candidate?.passwordHash ?? DUMMY_HASH, attempt);
      if (!isMatch || candidate === null || candidate.disabled) {
        onFailure("password");
        // An unknown name is not logged: people type passwords into the wrong field.
        const account = candidate?.account.username ?? null;
        logger.warn({ address: attempt.address, account }, "wrong password");
        throw appError("AuthFailed", "The username or the password is wrong.");
      }
      if (attempt.key !== null) await accountDelay.clear(attempt.key);
      return candidate;
    },

    /** Whether a visitor's password is the share's. @throws RateLimitExceeded, ServiceUnavailable */
    async checkShare({ shareId, passwordHash, ...attempt }: SharePasswordAttempt): Promise<boolean> {
      const key = { shareId };
      const isMatch = await matches(passwordHash, { ...attempt, key, queue: "shares" });
      if (isMatch) await accountDelay.clear(key);
      return isMatch;
    },
  };
}
