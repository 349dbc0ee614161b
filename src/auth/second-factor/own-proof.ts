/** What a session alone may not change asks who is there: passkeys, the authenticator app, recovery codes. */
import { z } from "zod";
import type { Clock } from "../../lib/clock.ts";
import { appError } from "../../lib/errors.ts";
import type { Account } from "../account.ts";
import type { Login } from "../login/service.ts";
import { codeSchema } from "./codes.ts";
import type { SecondFactor } from "./service.ts";

export const ownProof = z.object({
  password: z.string().nullish().describe("needed if the account has one"),
  totp: codeSchema
    .nullish()
    .describe(
      "for accounts without a password, if they have an authenticator app; else the sign-in must be fresh",
    ),
});
ownProof.register(z.globalRegistry, { id: "OwnProof" });
export type OwnProof = z.output<typeof ownProof>;

/** A sign-in is fresh for that time. */
const FRESH_MS = 600_000;

type Deps = {
  login: Pick<Login, "checkOwn" | "hasPassword">;
  secondFactor: Pick<SecondFactor, "takeCode" | "stateOf">;
  clock: Clock;
};

/** @throws AuthFailed, RateLimitExceeded, ServiceUnavailable */
export const createOwnProof =
  ({ login, secondFactor, clock }: Deps) =>
  async (account: Account, { password, totp }: OwnProof, address: string): Promise<void> => {
    if (await login.hasPassword(account)) {
      await login.checkOwn(account, { password: password ?? "", address });
      return;
    }
    if ((await secondFactor.takeCode(account, { totp })) !== null) return;
    const session = account.credential;
    const isFresh = session !== undefined && Math.abs(clock.now() - session.signedInAt) < FRESH_MS;
    const isWhole = session?.signedInBy !== "oidc" || (await secondFactor.stateOf(account)) !== "unproved";
    if (isFresh && isWhole) return;
    throw appError(
      "AuthFailed",
      isFresh
        ? "Confirm this sign-in with your passkey first."
        : "Your sign-in is older than ten minutes. Sign out and in again, then repeat this.",
      { field: "sign_in" },
    );
  };
