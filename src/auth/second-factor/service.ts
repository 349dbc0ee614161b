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
import type { SecondFactorRepository } from "./repository.ts";

type Deps = EnrolmentDeps & {
  sessions: Pick<Sessions, "endAllOf">;
  config: { get(key: "api.second_factor_roles"): readonly Role[] };
};

export type SecondFactor = ReturnType<typeof createSecondFactor>;

export const SECOND_FACTOR_STATES = ["off", "on", "required", "unproved"] as const;
type WhoAsks = Pick<Account, "id" | "role" | "credential">;

export function createSecondFactor(deps: Deps) {
  const { repository, accountDelay, config, changes, clock } = deps;
  const known = createFreshCache<{ has: boolean }>({
    find: async (id) => ({ has: await hasAny(repository, Number(id)) }),
    clock,
  });
  changes.subscribe("users", known.drop);

  const has = async (id: number): Promise<boolean> => (await known.get(String(id)))?.has === true;
  const isDemanded = ({ role }: WhoAsks): boolean => config.get("api.second_factor_roles").includes(role);
  /** A sign-in by password has asked for the second factor of the account, one by OpenID Connect has not. */
  const isHalf = ({ credential }: WhoAsks): boolean => credential?.signedInBy === "oidc";
  const isWhole = ({ credential }: WhoAsks): boolean => credential?.signedInBy === "oidc_mfa";

  return {
    /**
     * Whether the role demands a second factor that the account lacks or the session has not proved. Costs nothing
     * where no role demands one.
     */
    async isMissing(account: WhoAsks): Promise<boolean> {
      if (!isDemanded(account) || isWhole(account)) return false;
      return isHalf(account) || !(await has(account.id));
    },

    /** `unproved`: there is one, and the sign-in by OpenID Connect did not ask for it. */
    async stateOf(account: WhoAsks): Promise<(typeof SECOND_FACTOR_STATES)[number]> {
      if (isWhole(account)) return "on";
      if (await has(account.id)) return isHalf(account) && isDemanded(account) ? "unproved" : "on";
      return isDemanded(account) ? "required" : "off";
    },

    /**
     * Takes a code in a session. Returns what it was; null without an authenticator app.
     * @throws AuthFailed, RateLimitExceeded
     */
    async takeCode(
      account: Account,
      codes: Codes,
      also: (tx: AuthTransaction) => Promise<void> = async () => {},
    ): Promise<Proof["by"] | null> {
      const found = await repository.find(account.id);
      if (found === null || found.confirmedAt === null) return null;
      const key: FactorKey = account.credential ?? { username: account.username };
      const proof = await proofOf(deps, found, codes, key);
      await changes.write(async (tx) => {
        await proof.use(tx);
        await also(tx);
      });
      await proof.settle();
      return proof.by;
    },

    /**
     * What a sign-in by password proves in addition; null when nothing is asked.
     * @throws AuthFailed with the field `totp` when the code is missing or wrong, with `recovery_code` when that is
     * wrong, with `passkey` when the account has to sign in with one; RateLimitExceeded
     */
    async admit(account: Account, codes: Codes, key: FactorKey): Promise<Proof | null> {
      const authenticator = await repository.find(account.id);
      if (authenticator !== null && authenticator.confirmedAt !== null) {
        return proofOf(deps, authenticator, codes, key);
      }
      if (!config.get("api.second_factor_roles").includes(account.role)) return null;
      if ((await repository.passkeys(account.id)) === 0) return null;
      throw appError("AuthFailed", "This account signs in with a passkey, not with its password alone.", {
        field: "passkey",
      });
    },

    ...createEnrolment(deps),

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

async function hasAny(repository: SecondFactorRepository, id: number): Promise<boolean> {
  const authenticator = await repository.find(id);
  return (
    (authenticator !== null && authenticator.confirmedAt !== null) || (await repository.passkeys(id)) > 0
  );
}
