/** How a session shows the second factor of its account. */
import type { Account } from "../account.ts";
import type { AuthChanges, AuthTransaction } from "../changes.ts";
import { factorKeyOf } from "../login/account-delay.ts";
import type { Codes, Proof } from "../login/service.ts";
import type { Sessions } from "../sessions/service.ts";
import { type CodeDeps, type CodeField, proofOf } from "./codes.ts";
import { type Asker, type createUnproved, unproved } from "./unproved.ts";

type Deps = CodeDeps & { sessions: Pick<Sessions, "prove">; changes: AuthChanges };

type TakingCode = {
  also?: (tx: AuthTransaction) => Promise<void>;
  field?: CodeField | undefined;
};

export function createShowing(deps: Deps, { isUnproved, isUnprovedWith }: ReturnType<typeof createUnproved>) {
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
    async notePasskey(tx: AuthTransaction, account: Account): Promise<void> {
      if (isUnprovedWith({ app: false, passkey: true }, account))
        await sessions.prove(tx, account.credential, "passkey");
    },

    /** Whether the session has to show the account's second factor before it changes what proves the account. */
    isUnproved: (account: Account): Promise<boolean> => isUnproved(account),

    /**
     * The account with what the session has shown by now: the code, if there is one, confirms it.
     * @throws Forbidden for a session that has not shown the account's second factor; AuthFailed, RateLimitExceeded
     */
    async demand<A extends Account & Asker>(account: A, codes: Codes = {}, field?: CodeField): Promise<A> {
      if (!(await isUnproved(account))) return account;
      const { credential } = account;
      const by = codes.totp && credential ? await confirmBy(account, codes, field) : null;
      if (by === null) throw unproved();
      const { sessionId, signedInBy } = credential!;
      const shown = signedInBy === "oidc" ? ("oidc_mfa" as const) : by;
      return { ...account, credential: { ...credential!, signedInBy: shown, factorId: sessionId } };
    },

    /** In a session. Returns what it was; null without an authenticator app. @throws AuthFailed, RateLimitExceeded */
    takeCode: (account: Account, codes: Codes): Promise<Proof["by"] | null> => takeCode(account, codes),

    /** Like takeCode; the session has shown the second factor then. */
    confirmBy: (account: Account, codes: Codes): Promise<Proof["by"] | null> => confirmBy(account, codes),
  };
}
