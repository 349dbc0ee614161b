/**
 * The second factor of a sign-in by password: codes of an authenticator app, or recovery codes. A passkey is both
 * factors by itself. A code is accepted once, in the transaction that opens the session. Wrong codes delay further ones
 * like wrong passwords do, with a delay of their own, because a right password ends that of passwords.
 */
import type { Db } from "../../db/dialect.ts";
import type { Actor } from "../../lib/actor.ts";
import type { Role } from "../../lib/access.ts";
import type { Clock } from "../../lib/clock.ts";
import { appError } from "../../lib/errors.ts";
import type { RecordEvents } from "../../lib/event.ts";
import { SealedWithAnotherKey, type SecretBox } from "../../lib/secret-box.ts";
import type { Account } from "../account.ts";
import type { FailureMethod } from "../auth-metrics.ts";
import type { AuthChanges, AuthTransaction } from "../changes.ts";
import { createFreshCache } from "../fresh-cache.ts";
import type { AccountDelay, DelayKey } from "../login/account-delay.ts";
import { hashOfRecoveryCode, newRecoveryCodes } from "./recovery-codes.ts";
import type { Authenticator, SecondFactorRepository } from "./repository.ts";
import { newTotpSecret, stepOfCode, totpUri } from "./totp.ts";

/** For the secret box. */
const PURPOSE = "totp";

/** Of a sign-in, or a request of a session. */
type FactorKey = { username: string } | { sessionId: string };

type Deps = {
  repository: SecondFactorRepository;
  box: Pick<SecretBox, "seal" | "open">;
  accountDelay: AccountDelay;
  sessions: { endAllOf(tx: AuthTransaction, accountId: number): Promise<void> };
  config: {
    get(key: "api.second_factor_roles"): readonly Role[];
    get(key: "features.instance_name"): string;
  };
  changes: AuthChanges;
  record: RecordEvents<Db>;
  onFailure: (method: FailureMethod) => void;
  clock: Clock;
};

export type Codes = { totp?: string | null | undefined; recoveryCode?: string | null | undefined };

/** `use` takes the code in the transaction of what it allows; `settle` follows its commit. */
type Proof = {
  by: "totp" | "recovery_code";
  use(tx: AuthTransaction): Promise<void>;
  settle(): Promise<void>;
};

export type SecondFactor = ReturnType<typeof createSecondFactor>;

export function createSecondFactor(deps: Deps) {
  const { repository, accountDelay, config, changes, clock } = deps;
  const known = createFreshCache<{ has: boolean }>({
    find: async (id) => ({ has: await hasAny(repository, Number(id)) }),
    clock,
  });
  changes.subscribe("users", known.drop);

  async function isMissing({ id, role }: Pick<Account, "id" | "role">): Promise<boolean> {
    if (!config.get("api.second_factor_roles").includes(role)) return false;
    return (await known.get(String(id)))?.has !== true;
  }

  return {
    /** Whether the role demands a second factor that the account lacks. Costs nothing where no role demands one. */
    isMissing,

    async stateOf(account: Pick<Account, "id" | "role">): Promise<"off" | "on" | "required"> {
      if ((await known.get(String(account.id)))?.has) return "on";
      return (await isMissing(account)) ? "required" : "off";
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

/** Setting the authenticator up, and removing it. */
function createEnrolment(deps: Deps) {
  const { repository, box, accountDelay, config, changes, record, clock } = deps;

  /** @throws NotFound */
  async function confirmed(id: number): Promise<Authenticator> {
    const found = await repository.find(id);
    if (found === null || found.confirmedAt === null) noAuthenticator();
    return found;
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
    async begin({ id, username }: Account): Promise<{ secret: string; uri: string }> {
      const secret = await newTotpSecret();
      await changes.write(async (tx) => {
        if ((await repository.lockAccount(tx.db, id)) === null) noAccount();
        const current = await repository.lock(tx.db, id);
        if (current !== null && current.confirmedAt !== null) {
          throw appError("Conflict", "An authenticator app is set up already; remove it first.");
        }
        await repository.insert(tx.db, id, box.seal(secret, PURPOSE), clock.now());
      });
      const uri = await totpUri(secret, { issuer: config.get("features.instance_name"), label: username });
      return { secret, uri };
    },

    /** Returns the recovery codes. @throws BadRequest for a wrong code, NotFound, Conflict, RateLimitExceeded */
    async confirm({ id, username, credential }: Account, code: string, actor: Actor): Promise<string[]> {
      const found = await repository.find(id);
      if (found === null) throw appError("NotFound", "Begin with POST /account/totp.");
      if (found.confirmedAt !== null) throw appError("Conflict", "The authenticator app is set up already.");
      const key: DelayKey = { secondFactorOf: credential ?? { username } };
      await accountDelay.charge(key);
      const step = await stepOfCode(secretOf(deps, found), code, clock.now());
      if (step === null) throw wrongCode("BadRequest", "code");
      const codes = newRecoveryCodes();
      const hashes = codes.map((one) => hashOfRecoveryCode(id, one));
      await changes.write(async (tx) => {
        const current = await repository.lock(tx.db, id);
        if (current?.secret !== found.secret || current.confirmedAt !== null) {
          throw appError("Conflict", "The authenticator app was set up anew meanwhile.");
        }
        await repository.confirm(tx.db, id, { step, now: clock.now() });
        await repository.replaceCodes(tx.db, id, hashes);
        await record(tx.db, [{ at: clock.now(), actor, action: "totp.enable", subject: username }]);
        tx.changed("users", [String(id)]);
      });
      await accountDelay.clear(key);
      return codes;
    },

    /** The caller has proved its password. The old codes end. @throws NotFound */
    async renewCodes({ id, username }: Account, actor: Actor): Promise<string[]> {
      const codes = newRecoveryCodes();
      const hashes = codes.map((one) => hashOfRecoveryCode(id, one));
      await changes.write(async (tx) => {
        const current = await repository.lock(tx.db, id);
        if (current === null || current.confirmedAt === null) noAuthenticator();
        await repository.replaceCodes(tx.db, id, hashes);
        await record(tx.db, [{ at: clock.now(), actor, action: "recovery_codes.renew", subject: username }]);
      });
      return codes;
    },

    /** `code` null: the caller has proved its password. @throws AuthFailed, NotFound, RateLimitExceeded */
    async remove({ id, username, credential }: Account, code: string | null, actor: Actor): Promise<void> {
      const found = await confirmed(id);
      const key: FactorKey = credential ?? { username };
      const proof = code === null ? null : await proofOf(deps, found, { totp: code }, key, "code");
      await changes.write(async (tx) => {
        await proof?.use(tx);
        if (!(await repository.remove(tx.db, id))) noAuthenticator();
        await record(tx.db, [{ at: clock.now(), actor, action: "totp.disable", subject: username }]);
        tx.changed("users", [String(id)]);
      });
      await proof?.settle();
    },
  };
}

/** @throws AuthFailed, RateLimitExceeded */
async function proofOf(
  deps: Deps,
  authenticator: Authenticator,
  { totp, recoveryCode }: Codes,
  of: FactorKey,
  field: "totp" | "code" = "totp",
): Promise<Proof> {
  const { repository, accountDelay, onFailure, clock } = deps;
  const { accountId } = authenticator;
  if (!totp && !recoveryCode) {
    throw appError("AuthFailed", "The code of the authenticator app is missing.", {
      field,
      details: { isAsked: true },
    });
  }
  const key: DelayKey = { secondFactorOf: of };
  await accountDelay.charge(key);
  const settle = () => accountDelay.clear(key);
  const refuse = (name: string): never => {
    onFailure("second_factor");
    throw wrongCode("AuthFailed", name);
  };
  if (!totp) {
    const hash = hashOfRecoveryCode(accountId, recoveryCode!);
    const use = async ({ db }: AuthTransaction) => {
      if (!(await repository.takeCode(db, accountId, hash))) refuse("recovery_code");
    };
    return { by: "recovery_code", use, settle };
  }
  const step = (await stepOfCode(secretOf(deps, authenticator), totp, clock.now())) ?? refuse(field);
  const use = async ({ db }: AuthTransaction) => {
    if (!(await repository.takeStep(db, authenticator, step))) refuse(field);
  };
  return { by: "totp", use, settle };
}

/** @throws ServiceUnavailable */
function secretOf({ box }: Deps, { secret }: Authenticator): string {
  try {
    return box.open(secret, PURPOSE);
  } catch (cause) {
    if (!(cause instanceof SealedWithAnotherKey)) throw cause;
    throw appError(
      "ServiceUnavailable",
      "This server has another secret key than the one that sealed the authenticator's secret. Give all nodes the same storage.secret_key, or run 'waymark users reset-2fa'.",
      { cause },
    );
  }
}

const wrongCode = (name: "AuthFailed" | "BadRequest", field: string) =>
  appError(
    name,
    field === "recovery_code"
      ? "The recovery code is wrong, or was used already."
      : "The code is wrong, expired, or was used already. Try the next one.",
    { field },
  );

function noAuthenticator(): never {
  throw appError("NotFound", "No authenticator app is set up.");
}

function noAccount(): never {
  throw appError("NotFound", "The account is disabled or deleted.");
}
