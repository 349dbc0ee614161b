/**
 * What a link in a mail proves: that its reader gets the mails of an address. A proof is signed with `api.jwt_secret`
 * together with a state of the account, and ends when that state changes. A new password ends all of them, and a
 * confirmed address those of addresses, so each works once. None is stored.
 */
import { createHmac } from "node:crypto";
import { z } from "zod";
import { equalInConstantTime } from "../sessions/csrf.ts";

const claimsSchema = z.object({
  for: z.enum(["password", "address"]),
  account: z.int().min(0),
  email: z.string(),
  /** Epoch ms. */
  until: z.int(),
});
export type ProofClaims = z.output<typeof claimsSchema>;

export type Proofs = ReturnType<typeof createProofs>;

const LONGEST = 1_000;

/** `hash`: of the password. */
export type ProofState = { hash: string; email: string | null; emailVerified: boolean };

const textOf = (what: ProofClaims["for"], { hash, email, emailVerified }: ProofState): string =>
  what === "password" ? hash : JSON.stringify([hash, email, emailVerified]);

export function createProofs(secret: () => string) {
  const sign = (payload: string, what: ProofClaims["for"], state: ProofState): string =>
    createHmac("sha256", secret())
      .update(`mail proof\0${payload}\0${textOf(what, state)}`)
      .digest("base64url");

  return {
    make(claims: ProofClaims, state: ProofState): string {
      const payload = Buffer.from(JSON.stringify(claims)).toString("base64url");
      return `${payload}.${sign(payload, claims.for, state)}`;
    },

    /** What it claims, not yet checked. Null for another text. */
    read(proof: string): ProofClaims | null {
      if (proof.length > LONGEST) return null;
      try {
        return claimsSchema.parse(JSON.parse(Buffer.from(proof.split(".")[0]!, "base64url").toString()));
      } catch {
        return null;
      }
    },

    holds(proof: string, state: ProofState, now: number): boolean {
      const [payload = "", signature = ""] = proof.split(".");
      const claims = this.read(proof);
      return (
        claims !== null &&
        claims.until > now &&
        equalInConstantTime(signature, sign(payload, claims.for, state))
      );
    },
  };
}
