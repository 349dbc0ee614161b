/** Whether a session has shown the second factor of its account, as far as its sign-in asks for it. */
import type { Db } from "../../platform/db/dialect.ts";
import type { Role } from "../../lib/access.ts";
import { hasShownFactor } from "../../lib/credential.ts";
import { appError } from "../../lib/errors.ts";
import type { Account } from "../account.ts";
import type { AuthTransaction } from "../changes.ts";
import type { SecondFactorRepository } from "./repository.ts";

export type Factors = { app: boolean; passkey: boolean };
/** `token`: an API token, which is no session. */
export type Asker = Pick<Account, "id" | "role" | "credential"> & { token?: unknown };

type Deps = {
  repository: Pick<SecondFactorRepository, "find" | "passkeys">;
  config: { get(key: "api.second_factor_roles"): readonly Role[] };
};

export function createUnproved({ repository, config }: Deps) {
  const isDemanded = ({ role }: Pick<Asker, "role">): boolean =>
    config.get("api.second_factor_roles").includes(role);

  async function factorsOf(accountId: number, db?: Db): Promise<Factors> {
    const authenticator = await repository.find(accountId, db);
    const app = authenticator !== null && authenticator.confirmedAt !== null;
    return { app, passkey: (await repository.passkeys(accountId, db)) > 0 };
  }

  /**
   * A sign-in by password asks for the app, and for a passkey where the role needs a second factor; else a passkey is
   * another way in. One by OpenID Connect has asked for neither.
   */
  function isUnprovedWith({ app, passkey }: Factors, asker: Asker): boolean {
    if (isExempt(asker)) return false;
    return app || (passkey && (asker.credential?.signedInBy === "oidc" || isDemanded(asker)));
  }

  const isUnproved = async (asker: Asker, db?: Db): Promise<boolean> =>
    !isExempt(asker) && isUnprovedWith(await factorsOf(asker.id, db), asker);

  return {
    isDemanded,
    factorsOf,
    isUnprovedWith,
    isUnproved,

    /** The account is locked. @throws Forbidden */
    async requireProved(tx: AuthTransaction, asker: Asker): Promise<void> {
      if (await isUnproved(asker, tx.db)) throw unproved();
    },
  };
}

const isExempt = ({ credential, token }: Asker): boolean =>
  token !== undefined || hasShownFactor(credential?.signedInBy ?? null);

export const unproved = () =>
  appError("Forbidden", "Confirm this sign-in with your second factor first (POST /account/second-factor).", {
    field: "second_factor",
  });
