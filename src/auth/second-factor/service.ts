/**
 * The second factor of a sign-in by password: codes of an authenticator app, or recovery codes. A passkey is both
 * factors by itself. A code is accepted once, in the transaction that opens the session. Wrong codes delay further ones
 * like wrong passwords do, with a delay of their own, because a right password ends that of passwords.
 */
import type { Actor } from "../../lib/actor.ts";
import type { Role } from "../../lib/access.ts";
import { appError } from "../../lib/errors.ts";
import type { Account } from "../account.ts";
import type { AuthTransaction } from "../changes.ts";
import { createFreshCache } from "../fresh-cache.ts";
import type { Sessions } from "../sessions/service.ts";
import { proofOf } from "./codes.ts";
import type { FactorKey } from "../login/account-delay.ts";
import type { Codes, Proof } from "../login/service.ts";
import { createEnrolment, type EnrolmentDeps, noAccount } from "./enrolment.ts";
import { createShowing } from "./showing.ts";
import { type Asker, createUnproved, type Factors } from "./unproved.ts";

type Deps = Omit<EnrolmentDeps, "requireProved"> & {
  sessions: Pick<Sessions, "endAllOf">;
  config: { get(key: "api.second_factor_roles"): readonly Role[] };
};

export type SecondFactor = ReturnType<typeof createSecondFactor>;

export const SECOND_FACTOR_STATES = ["off", "on", "required", "unproved"] as const;

export function createSecondFactor(deps: Deps) {
  const { repository, accountDelay, config, changes, clock } = deps;
  const shown = createUnproved(deps);
  const { isDemanded, factorsOf, isUnprovedWith, requireProved } = shown;
  const known = createFreshCache<Factors>({ find: (id) => factorsOf(Number(id)), clock });
  changes.subscribe("users", known.drop);

  const has = ({ app, passkey }: Factors): boolean => app || passkey;
  const knownOf = async ({ id }: Asker): Promise<Factors> =>
    (await known.get(String(id))) ?? { app: false, passkey: false };
  /** The provider has asked for its own second factor. */
  const isWhole = ({ credential }: Asker): boolean => credential?.signedInBy === "oidc_mfa";

  return {
    requireProved,

    ...createShowing(deps, shown),

    /**
     * Whether the role demands a second factor that the account lacks or the session has not proved. Costs nothing
     * where no role demands one.
     */
    async isMissing(account: Asker): Promise<boolean> {
      if (!isDemanded(account) || isWhole(account)) return false;
      const factors = await knownOf(account);
      return !has(factors) || isUnprovedWith(factors, account);
    },

    /** `unproved`: there is one, and the session has not shown it. */
    async stateOf(account: Asker): Promise<(typeof SECOND_FACTOR_STATES)[number]> {
      if (isWhole(account)) return "on";
      const factors = await knownOf(account);
      if (has(factors)) return isDemanded(account) && isUnprovedWith(factors, account) ? "unproved" : "on";
      return isDemanded(account) ? "required" : "off";
    },

    /**
     * What a sign-in by password proves in addition; null when nothing is asked.
     * @throws AuthFailed with the field `totp` when the code is missing or wrong, with `recovery_code` when that is
     * wrong, with `passkey` when the account has to sign in with one; RateLimitExceeded
     */
    async admit(account: Account, codes: Codes, key: FactorKey): Promise<Proof | null> {
      const authenticator = await repository.find(account.id);
      if (authenticator !== null && authenticator.confirmedAt !== null) {
        return proofOf(deps, authenticator, codes, { key });
      }
      if (!config.get("api.second_factor_roles").includes(account.role)) return null;
      if ((await repository.passkeys(account.id)) === 0) return null;
      throw appError("AuthFailed", "This account signs in with a passkey, not with its password alone.", {
        field: "passkey",
      });
    },

    ...createEnrolment({ ...deps, requireProved }),

    /** Removes authenticator, recovery codes and passkeys, and ends the account's sessions. @throws NotFound */
    async reset(account: { id: number; username: string }, actor: Actor): Promise<void> {
      await changes.write(async (tx) => {
        if ((await repository.lockAccount(tx.db, account.id)) === null) noAccount();
        const had = [
          await repository.remove(tx.db, account.id),
          await repository.removePasskeys(tx.db, account.id),
        ];
        if (!had.includes(true)) throw appError("NotFound", "The account has no second factor.");
        await deps.sessions.endAllOf(tx, account.id);
        const event = { at: clock.now(), actor, action: "account.reset_2fa", subject: account.username };
        await deps.record(tx.db, [event]);
      });
      await accountDelay.clear({ secondFactorOf: { username: account.username } });
    },

    /** With the account. */
    async removeAllOf(tx: AuthTransaction, accountId: number): Promise<void> {
      await repository.remove(tx.db, accountId);
      await repository.removePasskeys(tx.db, accountId);
    },
  };
}
