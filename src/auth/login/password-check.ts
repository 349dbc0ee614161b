/**
 * Checks the password of an account, share or link: first the delay, then one verification. Response and time are the
 * same for an unknown account, a wrong password and a disabled account. Callers apply the limit per address before they
 * read the body.
 */
import type { AuthConfig } from "../auth-config.ts";
import { keptAddress } from "../../lib/kept-address.ts";
import { appError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Account } from "../account.ts";
import type { FailureMethod } from "../auth-metrics.ts";
import type { AccountDelay, DelayKey } from "./account-delay.ts";
import { DUMMY_HASH, type PasswordQueue, type Passwords } from "./password.ts";
import { NO_PASSWORD, PASSWORD_MAX_BYTES } from "../users/user.ts";

export type PasswordHolder = { account: Account; passwordHash: string; disabled: boolean };

export type PasswordAttempt = {
  password: string;
  candidate: PasswordHolder | null;
  /** Null when the name can't be a username. */
  key: DelayKey | null;
  address: string;
  queue: PasswordQueue;
};

export type VisitorAttempt = {
  what: "link" | "share";
  linkId: number;
  password: string;
  passwordHash: string;
};

type Deps = {
  passwords: Passwords;
  accountDelay: AccountDelay;
  logger: Logger;
  onFailure: (method: FailureMethod) => void;
  config: Pick<AuthConfig, "get">;
};

export type PasswordCheck = ReturnType<typeof createPasswordCheck>;

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
      if (key !== null) await accountDelay.takeBack(key);
      throw error;
    }
  }

  return {
    /** @throws AuthFailed, RateLimitExceeded, ServiceUnavailable */
    async check({ candidate, ...attempt }: PasswordAttempt): Promise<PasswordHolder> {
      const hash = candidate?.passwordHash ?? NO_PASSWORD;
      const isMatch = await matches(hash === NO_PASSWORD ? DUMMY_HASH : hash, attempt);
      if (!isMatch || candidate === null || hash === NO_PASSWORD || candidate.disabled) {
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
      const queue = what === "share" ? "shares" : "links";
      const isMatch = await matches(passwordHash, { password, key, queue });
      if (isMatch) await accountDelay.clear(key);
      return isMatch;
    },
  };
}
