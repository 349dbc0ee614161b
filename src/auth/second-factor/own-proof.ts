/** A session alone may not change passkeys, the authenticator app and recovery codes: its owner proves who is there. */
import { z } from "zod";
import type { Clock } from "../../lib/clock.ts";
import { appError } from "../../lib/errors.ts";
import type { Account } from "../account.ts";
import type { Login } from "../login/service.ts";
import { type CodeField, codeSchema } from "./codes.ts";
import type { SecondFactor } from "./service.ts";

export const ownProof = z.object({
  password: z.string().nullish().describe("needed if the account has one"),
  totp: codeSchema
    .nullish()
    .describe(
      "for accounts without a password, if they have an authenticator app, else the sign-in must be fresh; beside the password for a session that has not shown the app's code yet",
    ),
});
ownProof.register(z.globalRegistry, { id: "IdentityProof" });
export type OwnProof = z.output<typeof ownProof>;

/** A sign-in is fresh for that time. */
const FRESH_MS = 600_000;

type Deps = { login: Login; secondFactor: SecondFactor; clock: Clock };

/** @throws Forbidden for a session that has not shown the second factor, AuthFailed, RateLimitExceeded, ServiceUnavailable */
export type ProveOwn = (
  account: Account,
  proof: OwnProof,
  address: string,
  field?: CodeField,
) => Promise<void>;

export const createOwnProof =
  ({ login, secondFactor, clock }: Deps): ProveOwn =>
  async (account, { password, totp }, address, field) => {
    const isConfirmed = (await secondFactor.requireConfirmed(account, { totp }, field)) !== account;
    if (await login.hasPassword(account)) {
      await login.checkOwn(account, { password: password ?? "", address });
      return;
    }
    // The code is used up.
    if (isConfirmed || (await secondFactor.takeCode(account, { totp })) !== null) return;
    const session = account.credential;
    if (session !== undefined && Math.abs(clock.now() - session.signedInAt) < FRESH_MS) return;
    throw appError(
      "AuthFailed",
      "Your sign-in is older than ten minutes. Sign out and in again, then repeat this.",
      { field: "sign_in" },
    );
  };
