/**
 * The second factor of a sign-in by password: codes of an authenticator app, or recovery codes. A passkey is both
 * factors by itself. A code is accepted once, in the transaction that opens the session. Wrong codes delay further ones
 * like wrong passwords do, with a delay of their own, because a right password ends that of passwords.
 */
import { lockAccount } from "../account.repository.ts";
import type { Actor } from "../../lib/actor.ts";
import { appError } from "../../lib/errors.ts";
import type { Account } from "../account.ts";
import type { ChangeTransaction } from "../../platform/cluster/changes.ts";
import { createFreshCache } from "../fresh-cache.ts";
import type { Sessions } from "../sessions/service.ts";
import { proofOf, type CodeDeps, type CodeField } from "./codes.ts";
import { type FactorKey, factorKeyOf } from "../login/account-delay.ts";
import type { Codes, Proof } from "../login/service.ts";
import { createEnrolment, accountNotFound } from "./enrolment.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { hasShownFactor } from "../../lib/credential.ts";

type Deps = CodeDeps & { sessions: Sessions };

export type SecondFactor = ReturnType<typeof createSecondFactor>;

export const SECOND_FACTOR_STATES = ["off", "on", "required", "unconfirmed"] as const;

export function createSecondFactor(deps: Deps) {
  const { repository, accountDelay, config, changes, clock } = deps;
  const shown = createFactorState(deps);
  const { isDemanded, factorsOf, isUnprovedWith, requireProved } = shown;
  const known = createFreshCache<Factors>({ find: (id) => factorsOf(Number(id)), clock });
  changes.subscribe("users", known.drop);

  const has = ({ app, passkey }: Factors): boolean => app || passkey;
  const knownOf = async ({ id }: FactorHolder): Promise<Factors> =>
    (await known.get(String(id))) ?? { app: false, passkey: false };
  /** The provider has verified its own second factor. */
  const isWhole = ({ credential }: FactorHolder): boolean => credential?.signedInBy === "oidc_mfa";

  return {
    requireProved,

    ...createConfirmation(deps, shown),

    /**
     * Whether the role demands a second factor that the account lacks or the session has not proved. Costs nothing
     * where no role demands one.
     */
    async isMissing(account: FactorHolder): Promise<boolean> {
      if (!isDemanded(account) || isWhole(account)) return false;
      const factors = await knownOf(account);
      return !has(factors) || isUnprovedWith(factors, account);
    },

    /** `unconfirmed`: there is one, and the session has not shown it. */
    async stateOf(account: FactorHolder): Promise<(typeof SECOND_FACTOR_STATES)[number]> {
      if (isWhole(account)) return "on";
      const factors = await knownOf(account);
      if (has(factors)) return isDemanded(account) && isUnprovedWith(factors, account) ? "unconfirmed" : "on";
      return isDemanded(account) ? "required" : "off";
    },

    /**
     * What a sign-in by password proves in addition; null when nothing is required.
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
        if ((await lockAccount(tx.db, deps.database, account.id)) === null) throw accountNotFound();
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
    async removeAllOf(tx: ChangeTransaction, accountId: number): Promise<void> {
      await repository.remove(tx.db, accountId);
      await repository.removePasskeys(tx.db, accountId);
    },
  };
}

type TakingCode = {
  also?: (tx: ChangeTransaction) => Promise<void>;
  field?: CodeField | undefined;
};

function createConfirmation(
  deps: Deps,
  { isUnproved, isUnprovedWith }: ReturnType<typeof createFactorState>,
) {
  const { repository, sessions, changes } = deps;

  /** Returns what the code was; null without an authenticator app. */
  async function takeCode(
    account: Account,
    codes: Codes,
    { also = async () => {}, field }: TakingCode = {},
  ): Promise<Proof["by"] | null> {
    const found = await repository.find(account.id);
    if (found === null || found.confirmedAt === null) return null;
    const key = factorKeyOf(account, account.credential?.factorId);
    const proof = await proofOf(deps, found, codes, { key, field });
    await changes.write(async (tx) => {
      await proof.use(tx);
      await also(tx);
    });
    await proof.settle();
    return proof.by;
  }

  const confirmBy = (account: Account, codes: Codes, field?: CodeField): Promise<Proof["by"] | null> =>
    takeCode(account, codes, {
      also: (tx) => sessions.prove(tx, account.credential, codes.totp ? "totp" : "recovery_code"),
      field,
    });

  return {
    /** The session has added a passkey. */
    async notePasskey(tx: ChangeTransaction, account: Account): Promise<void> {
      if (isUnprovedWith({ app: false, passkey: true }, account))
        await sessions.prove(tx, account.credential, "passkey");
    },

    /** Whether the session has to show the account's second factor before it changes what proves the account. */
    isUnproved,

    /**
     * The account with what the session has shown by now: the code, if there is one, confirms it.
     * @throws Forbidden for a session that has not shown the account's second factor; AuthFailed, RateLimitExceeded
     */
    async requireConfirmed<A extends Account & FactorHolder>(
      account: A,
      codes: Codes = {},
      field?: CodeField,
    ): Promise<A> {
      if (!(await isUnproved(account))) return account;
      const { credential } = account;
      const by = codes.totp && credential ? await confirmBy(account, codes, field) : null;
      if (by === null) throw secondFactorUnproved();
      const { sessionId, signedInBy } = credential!;
      const shown = signedInBy === "oidc" ? ("oidc_mfa" as const) : by;
      return { ...account, credential: { ...credential!, signedInBy: shown, factorId: sessionId } };
    },

    /**
     * Uses a code up in a session. Returns its kind; null without an authenticator app. @throws AuthFailed,
     * RateLimitExceeded
     */
    takeCode,

    /** Like takeCode; the session has shown the second factor then. */
    confirmBy,
  };
}

type Factors = { app: boolean; passkey: boolean };
/** `token`: an API token, which is no session. */
type FactorHolder = Pick<Account, "id" | "role" | "credential"> & { token?: unknown };

function createFactorState({ repository, config }: Deps) {
  const isDemanded = ({ role }: Pick<FactorHolder, "role">): boolean =>
    config.get("api.second_factor_roles").includes(role);

  async function factorsOf(accountId: number, db?: Db): Promise<Factors> {
    const authenticator = await repository.find(accountId, db);
    const app = authenticator !== null && authenticator.confirmedAt !== null;
    return { app, passkey: (await repository.passkeys(accountId, db)) > 0 };
  }

  /**
   * A sign-in by password asks for the app, and for a passkey where the role needs a second factor; else a passkey is
   * another way in. One by OpenID Connect has verified neither.
   */
  function isUnprovedWith({ app, passkey }: Factors, holder: FactorHolder): boolean {
    if (isExempt(holder)) return false;
    return app || (passkey && (holder.credential?.signedInBy === "oidc" || isDemanded(holder)));
  }

  const isUnproved = async (holder: FactorHolder, db?: Db): Promise<boolean> =>
    !isExempt(holder) && isUnprovedWith(await factorsOf(holder.id, db), holder);

  return {
    isDemanded,
    factorsOf,
    isUnprovedWith,
    isUnproved,

    /** The account is locked. @throws Forbidden */
    async requireProved(tx: ChangeTransaction, holder: FactorHolder): Promise<void> {
      if (await isUnproved(holder, tx.db)) throw secondFactorUnproved();
    },
  };
}

const isExempt = ({ credential, token }: FactorHolder): boolean =>
  token !== undefined || hasShownFactor(credential?.signedInBy ?? null);

const secondFactorUnproved = () =>
  appError("Forbidden", "Confirm this sign-in with your second factor first (POST /account/second-factor).", {
    field: "second_factor",
  });
