/**
 * Challenges of WebAuthn. None is stored: each is signed with `api.jwt_secret` together with its end and what it is for.
 * Who takes one keeps it as used until then (`Passkeys.use`).
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../lib/clock.ts";

const NONCE_BYTES = 16;
const END_BYTES = 8;
const MAC_BYTES = 32;
/** Also the time that a browser gives people. */
export const CHALLENGE_MS = 300_000;

export type Challenges = ReturnType<typeof createChallenges>;

export function createChallenges({ secret, clock }: { secret: () => string; clock: Clock }) {
  const sign = (payload: Uint8Array, purpose: string): Buffer =>
    createHmac("sha256", secret()).update(`waymark passkey: ${purpose}\0`).update(payload).digest();

  return {
    /** Base64url. */
    make(purpose: string): string {
      const end = Buffer.alloc(END_BYTES);
      end.writeBigUInt64BE(BigInt(clock.now() + CHALLENGE_MS));
      const payload = Buffer.concat([randomBytes(NONCE_BYTES), end]);
      return Buffer.concat([payload, sign(payload, purpose)]).toString("base64url");
    },

    /** When it ends, epoch ms; null when it has ended, or is not one of ours for that purpose. */
    endOf(challenge: string, purpose: string): number | null {
      const bytes = Buffer.from(challenge, "base64url");
      if (bytes.length !== NONCE_BYTES + END_BYTES + MAC_BYTES) return null;
      const payload = bytes.subarray(0, -MAC_BYTES);
      if (!timingSafeEqual(sign(payload, purpose), bytes.subarray(-MAC_BYTES))) return null;
      const end = Number(payload.readBigUInt64BE(NONCE_BYTES));
      return end > clock.now() ? end : null;
    },
  };
}
