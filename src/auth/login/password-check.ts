/**
 * The one way a password is checked: first the limits, then always exactly one verification, so that neither the
 * answer nor its time tells an unknown account from a wrong password or a disabled account.
 */
import { appError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Account } from "../account.ts";
import type { AccountDelay, DelayKey } from "./account-delay.ts";
import type { AddressLimit } from "./address-limit.ts";
import { DUMMY_HASH, type Passwords } from "./password.ts";
import { PASSWORD_MAX_BYTES } from "../users/user.ts";

export type Candidate = { account: Account; passwordHash: string; disabled: boolean };

export type PasswordAttempt = {
  password: string;
  /** Null when there is no such account. */
  candidate: Candidate | null;
  /** What the try is counted for; null when the name can't be an account's. */
  key: DelayKey | null;
  /** The client's address. */
  address: string;
};

/** Where authentication failed, for the metric. */
export type FailureMethod = "password" | "bearer" | "cookie" | "csrf" | "none";

type Deps = {
  passwords: Passwords;
  addressLimit: AddressLimit;
  accountDelay: AccountDelay;
  logger: Logger;
  onFailure: (method: FailureMethod) => void;
};

export type PasswordCheck = ReturnType<typeof createPasswordCheck>;

export function createPasswordCheck({ passwords, addressLimit, accountDelay, logger, onFailure }: Deps) {
  const isRight = async (password: string, candidate: Candidate | null): Promise<boolean> => {
    // Longer than any stored one, whosoever's it is: no work for it.
    if (Buffer.byteLength(password) > PASSWORD_MAX_BYTES) return false;
    const isMatch = await passwords.verifyPassword(password, candidate?.passwordHash ?? DUMMY_HASH);
    return isMatch && candidate !== null && !candidate.disabled;
  };

  return {
    /** Returns the candidate when the password is its own. @throws AuthFailed, RateLimitExceeded */
    async check({ password, candidate, key, address }: PasswordAttempt): Promise<Candidate> {
      await addressLimit.take(address);
      if (key !== null) await accountDelay.charge(key);
      if (!(await isRight(password, candidate)) || candidate === null) {
        onFailure("password");
        // An unknown name is not logged: people type passwords into the wrong field.
        logger.warn({ address, account: candidate?.account.username ?? null }, "wrong password");
        throw appError("AuthFailed", "The username or the password is wrong.");
      }
      if (key !== null) await accountDelay.clear(key);
      return candidate;
    },
  };
}
