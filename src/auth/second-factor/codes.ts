/** Codes of the authenticator app and recovery codes: whether one is right, and that it is taken once. */
import type { AuthCore } from "../auth-core.ts";
import { z } from "zod";
import { appError } from "../../lib/errors.ts";
import { SealedWithAnotherKey, type SecretBox } from "../../lib/secret-box.ts";
import type { ChangeTransaction } from "../../platform/cluster/changes.ts";
import type { AccountDelay, DelayKey, FactorKey } from "../login/account-delay.ts";
import type { Codes, Proof } from "../login/service.ts";
import type { Authenticator, SecondFactorRepository } from "./repository.ts";
import { createHash, randomBytes } from "node:crypto";
import { asciiLower } from "../../lib/ascii-lower.ts";

/** The purpose in the secret box. */
export const PURPOSE = "totp";

export const codeSchema = z.string().max(32).describe("six digits");

/** The field of the request that has the code. */
export type CodeField = "totp" | "code";

export type CodeDeps = AuthCore & {
  repository: SecondFactorRepository;
  box: SecretBox;
  accountDelay: AccountDelay;
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
      details: { isPrompted: true },
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
    const use = async ({ db }: ChangeTransaction) => {
      if (!(await repository.takeCode(db, accountId, hash))) refuse("recovery_code");
    };
    return { by: "recovery_code", use, settle };
  }
  const step = (await stepOfCode(secret, totp, clock.now())) ?? refuse(field);
  const use = async ({ db }: ChangeTransaction) => {
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

/** Time-based one-time passwords (RFC 6238): SHA-1, six digits, 30 seconds, as every authenticator app has them. */
const SHAPE = { algorithm: "SHA1", digits: 6, period: 30 } as const;
/** Steps before and after the current one whose codes are accepted, for clocks that differ. */
const WINDOW = 1;
const SECRET_BYTES = 20;

// Few installations need it, so it is not loaded at the start.
const library = () => import("otpauth");

/** Base32. */
export async function newTotpSecret(): Promise<string> {
  const { Secret } = await library();
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** The text of the QR code (Key Uri Format). */
export async function totpUri(secret: string, { issuer, label }: { issuer: string; label: string }) {
  const { Secret, TOTP } = await library();
  return new TOTP({ ...SHAPE, issuer, label, secret: Secret.fromBase32(secret) }).toString();
}

/** The time step whose code it is; null for another code. Blanks in it do not count. */
export async function stepOfCode(secret: string, typed: string, now: number): Promise<number | null> {
  const code = typed.replaceAll(/\s/g, "");
  if (!/^\d{6}$/.test(code)) return null;
  const { Secret, TOTP } = await library();
  const totp = new TOTP({ ...SHAPE, secret: Secret.fromBase32(secret) });
  const delta = totp.validate({ token: code, timestamp: now, window: WINDOW });
  return delta === null ? null : Math.floor(now / 1000 / SHAPE.period) + delta;
}

/** A recovery code has 80 random bits, so a plain hash protects it. */
const CODES = 10;
/** 32 letters and digits that look different. */
const ALPHABET = "23456789abcdefghijkmnpqrstuvwxyz";
const CHARACTERS = 16;

export const newRecoveryCodes = (): string[] => Array.from({ length: CODES }, newCode);

function newCode(): string {
  const letters = [...randomBytes(CHARACTERS)].map((byte) => ALPHABET[byte % ALPHABET.length]).join("");
  return letters.match(/.{4}/g)!.join("-");
}

/** Case, blanks and hyphens do not count. */
export function hashOfRecoveryCode(accountId: number, typed: string): string {
  const code = asciiLower(typed).replaceAll(/[^a-z0-9]/g, "");
  return createHash("sha256").update(`recovery ${accountId} ${code}`).digest("hex");
}
