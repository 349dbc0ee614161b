/** Setting the authenticator app up, and removing it. */
import { lockAccount } from "../account.repository.ts";
import type { Db } from "../../platform/db/dialect.ts";
import type { Actor } from "../../lib/actor.ts";
import { appError } from "../../lib/errors.ts";
import type { Account } from "../account.ts";
import type { ChangeTransaction } from "../../platform/cluster/changes.ts";
import { type DelayKey, factorKeyOf } from "../login/account-delay.ts";
import type { Sessions } from "../sessions/service.ts";
import {
  type CodeDeps,
  proofOf,
  PURPOSE,
  secretOf,
  wrongCode,
  hashOfRecoveryCode,
  newRecoveryCodes,
  newTotpSecret,
  stepOfCode,
  totpUri,
} from "./codes.ts";

type Deps = CodeDeps & {
  sessions: Sessions;
  /** @throws Forbidden for a session that has not shown a second factor that there is meanwhile */
  requireProved(tx: ChangeTransaction, account: Account): Promise<void>;
};

export function createEnrolment(deps: Deps) {
  const { repository, box, accountDelay, config, changes, record, clock } = deps;

  /** Returns the codes, which nobody can read again. */
  async function giveCodes(tx: Db, id: number): Promise<string[]> {
    const codes = newRecoveryCodes();
    await repository.replaceCodes(
      tx,
      id,
      codes.map((one) => hashOfRecoveryCode(id, one)),
    );
    return codes;
  }

  return {
    async totpState(accountId: number) {
      const found = await repository.find(accountId);
      const enabled = found !== null && found.confirmedAt !== null;
      return {
        enabled,
        enabledAt: found?.confirmedAt ?? null,
        recoveryCodesLeft: enabled ? await repository.codesLeft(accountId) : 0,
      };
    },

    /** The caller has proved its password. @throws Conflict when there is one */
    async enrol({ id, username }: Account): Promise<{ secret: string; uri: string }> {
      const secret = await newTotpSecret();
      const sealed = await box.seal(secret, PURPOSE);
      await changes.write(async (tx) => {
        if ((await lockAccount(tx.db, deps.database, id)) === null) throw accountNotFound();
        const current = await repository.lock(tx.db, id);
        if (current !== null && current.confirmedAt !== null) {
          throw appError("Conflict", "An authenticator app is set up already; remove it first.");
        }
        await repository.insert(tx.db, id, sealed, clock.now());
      });
      const uri = await totpUri(secret, { issuer: config.get("features.instance_name"), label: username });
      return { secret, uri };
    },

    /** Returns the recovery codes. @throws BadRequest for a wrong code, NotFound, Conflict, RateLimitExceeded */
    async confirmEnrolment(account: Account, code: string, actor: Actor): Promise<string[]> {
      const { id, username, credential } = account;
      const found = await repository.find(id);
      if (found === null) throw appError("NotFound", "Begin with POST /account/totp.");
      if (found.confirmedAt !== null) throw appError("Conflict", "The authenticator app is set up already.");
      const secret = secretOf(deps, found);
      const key: DelayKey = { secondFactorOf: factorKeyOf(account, credential?.factorId) };
      await accountDelay.charge(key);
      const step = await stepOfCode(secret, code, clock.now());
      if (step === null) throw wrongCode("BadRequest", "code");
      const codes = await changes.write(async (tx) => {
        if ((await lockAccount(tx.db, deps.database, id)) === null) throw accountNotFound();
        const current = await repository.lock(tx.db, id);
        if (current?.secret !== found.secret || current.confirmedAt !== null) {
          throw appError("Conflict", "The authenticator app was set up anew meanwhile.");
        }
        await deps.requireProved(tx, account);
        await repository.confirm(tx.db, id, { step, now: clock.now() });
        await record(tx.db, [{ at: clock.now(), actor, action: "totp.enable", subject: username }]);
        await deps.sessions.prove(tx, credential, "totp");
        tx.changed("users", [String(id)]);
        return giveCodes(tx.db, id);
      });
      await accountDelay.clear(key);
      return codes;
    },

    /** The caller has proved its password. The old codes end. @throws NotFound */
    async renewCodes({ id, username }: Account, actor: Actor): Promise<string[]> {
      return changes.write(async (tx) => {
        const current = await repository.lock(tx.db, id);
        if (current === null || current.confirmedAt === null) throw authenticatorNotFound();
        await record(tx.db, [{ at: clock.now(), actor, action: "recovery_codes.renew", subject: username }]);
        return giveCodes(tx.db, id);
      });
    },

    /** `code` null: the caller has proved its password. @throws AuthFailed, NotFound, RateLimitExceeded */
    async removeAuthenticator(account: Account, code: string | null, actor: Actor): Promise<void> {
      const { id, username } = account;
      const found = await repository.find(id);
      if (found === null || found.confirmedAt === null) throw authenticatorNotFound();
      const key = factorKeyOf(account, account.credential?.factorId);
      const proof = code === null ? null : await proofOf(deps, found, { totp: code }, { key, field: "code" });
      await changes.write(async (tx) => {
        await proof?.use(tx);
        if (!(await repository.remove(tx.db, id))) throw authenticatorNotFound();
        await record(tx.db, [{ at: clock.now(), actor, action: "totp.disable", subject: username }]);
        tx.changed("users", [String(id)]);
      });
      await proof?.settle();
    },
  };
}

const authenticatorNotFound = () => appError("NotFound", "No authenticator app is set up.");

export const accountNotFound = () => appError("NotFound", "The account is disabled or deleted.");
