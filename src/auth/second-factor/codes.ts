/** Codes of the authenticator app and recovery codes: whether one is right, and that it is taken once. */
import { z } from "zod";
import type { Clock } from "../../lib/clock.ts";
import { appError } from "../../lib/errors.ts";
import { SealedWithAnotherKey, type SecretBox } from "../../lib/secret-box.ts";
import type { FailureMethod } from "../auth-metrics.ts";
import type { AuthTransaction } from "../changes.ts";
import type { AccountDelay, DelayKey, FactorKey } from "../login/account-delay.ts";
import type { Codes, Proof } from "../login/service.ts";
import { hashOfRecoveryCode } from "./recovery-codes.ts";
import type { Authenticator, SecondFactorRepository } from "./repository.ts";
import { stepOfCode } from "./totp.ts";

/** For the secret box. */
export const PURPOSE = "totp";

export const codeSchema = z.string().max(32).describe("six digits");

/** The field of the request that has the code. */
export type CodeField = "totp" | "code";

export type CodeDeps = {
  repository: SecondFactorRepository;
  box: Pick<SecretBox, "seal" | "open">;
  accountDelay: AccountDelay;
  onFailure: (method: FailureMethod) => void;
  clock: Clock;
};

/** @throws AuthFailed, RateLimitExceeded */
export async function proofOf(
  deps: CodeDeps,
  authenticator: Authenticator,
  { totp, recoveryCode }: Codes,
  { key: of, field = "totp" }: { key: FactorKey; field?: CodeField | undefined },
): Promise<Proof> {
  const { repository, accountDelay, onFailure, clock } = deps;
  const { accountId } = authenticator;
  if (!totp && !recoveryCode) {
    throw appError("AuthFailed", "The code of the authenticator app is missing.", {
      field,
      details: { isAsked: true },
    });
  }
  const secret = totp ? secretOf(deps, authenticator) : "";
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
  const step = (await stepOfCode(secret, totp, clock.now())) ?? refuse(field);
  const use = async ({ db }: AuthTransaction) => {
    if (!(await repository.takeStep(db, authenticator, step))) refuse(field);
  };
  return { by: "totp", use, settle };
}

/** @throws ServiceUnavailable */
export function secretOf({ box }: Pick<CodeDeps, "box">, { secret }: Authenticator): string {
  try {
    return box.open(secret, PURPOSE);
  } catch (cause) {
    if (!(cause instanceof SealedWithAnotherKey)) throw cause;
    throw appError(
      "ServiceUnavailable",
      "This server has another secret key than the one that sealed the authenticator's secret. The right one must be put back; 'waymark doctor' says where.",
      { cause },
    );
  }
}

export const wrongCode = (name: "AuthFailed" | "BadRequest", field: string) =>
  appError(
    name,
    field === "recovery_code"
      ? "The recovery code is wrong, or was used already."
      : "The code is wrong, expired, or was used already. Try the next one.",
    { field },
  );
