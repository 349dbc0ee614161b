/**
 * What browsers and authenticators send, checked by @simplewebauthn/server (Web Authentication, Level 3). User
 * verification is required. Nobody asks for attestation, so a statement that comes all the same is dropped unread: its
 * certificates could name lists of revoked ones, which the library would fetch from wherever they are.
 */
import { z } from "zod";
import { appError } from "../../lib/errors.ts";
import type { Assertion, NewCredential, Passkey } from "./passkey.ts";
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../lib/clock.ts";

/** EdDSA, ES256, RS256: what authenticators make. */
export const ALGORITHMS = [-8, -7, -257];
const TRANSPORTS: ReadonlySet<string> = new Set([
  "ble",
  "cable",
  "hybrid",
  "internal",
  "nfc",
  "smart-card",
  "usb",
]);

/** Scheme, host and port of the panel. Passkeys belong to its host (the RP ID). */
export type Site = { origin: string };
export const hostOf = ({ origin }: Site): string => new URL(origin).hostname;

type Expected = Site & { challenge: string };

/**
 * At the first use: who has no passkeys does not pay for it. One of its packages needs `reflect-metadata` first; the
 * order of modules in the executable does not see to that.
 */
async function library() {
  await import("reflect-metadata");
  return import("@simplewebauthn/server");
}
const helpers = () => import("@simplewebauthn/server/helpers");

const clientDataSchema = z.object({
  challenge: z.string(),
  origin: z.string(),
  crossOrigin: z.boolean().optional(),
});

/** The challenge that the browser has signed. @throws BadRequest */
export function challengeOf({ response }: NewCredential | Assertion, site: Site): string {
  const { challenge, origin, crossOrigin } = readClientData(response.clientDataJSON);
  if (origin !== site.origin) {
    throw appError(
      "BadRequest",
      `Passkeys work at ${site.origin} only: open the panel there. An administrator sets the address as features.public_url.`,
      { field: "credential" },
    );
  }
  if (crossOrigin === true) throw credentialInvalid();
  return challenge;
}

function readClientData(text: string): z.output<typeof clientDataSchema> {
  try {
    return clientDataSchema.parse(JSON.parse(Buffer.from(text, "base64url").toString()));
  } catch (cause) {
    throw credentialInvalid(cause);
  }
}

/** @throws BadRequest */
export async function readNew(credential: NewCredential, { origin, challenge }: Expected) {
  const [{ verifyRegistrationResponse }, { decodeAttestationObject, isoCBOR }] = await Promise.all([
    library(),
    helpers(),
  ]);
  const { clientDataJSON, attestationObject, transports } = credential.response;
  try {
    const authData = decodeAttestationObject(bytesOf(attestationObject)).get("authData");
    const bare = isoCBOR.encode(
      new Map<string, unknown>([
        ["fmt", "none"],
        ["attStmt", new Map()],
        ["authData", authData],
      ]) as never,
    );
    const { registrationInfo } = await verifyRegistrationResponse({
      response: {
        ...credential,
        response: { clientDataJSON, attestationObject: textOf(bare) },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: hostOf({ origin }),
      supportedAlgorithmIDs: ALGORITHMS,
    });
    const { credential: made, credentialBackedUp: backedUp } = registrationInfo!;
    return {
      credentialId: made.id,
      publicKey: textOf(made.publicKey),
      counter: made.counter,
      transports: [...new Set(transports ?? [])].filter((one) => TRANSPORTS.has(one)),
      backedUp,
    };
  } catch (cause) {
    throw credentialInvalid(cause);
  }
}

/** Verifies that the passkey's key has signed the challenge. The caller compares the counter. */
export async function readAssertion(
  { response, ...credential }: Assertion,
  { credentialId, publicKey }: Passkey,
  { origin, challenge }: Expected,
): Promise<{ counter: number; backedUp: boolean } | { refused: unknown }> {
  const { verifyAuthenticationResponse } = await library();
  const { clientDataJSON, authenticatorData, signature } = response;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        ...credential,
        response: { clientDataJSON, authenticatorData, signature },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: hostOf({ origin }),
      credential: { id: credentialId, publicKey: bytesOf(publicKey), counter: 0 },
    });
    if (!verified) return { refused: "the signature is wrong" };
    return { counter: authenticationInfo.newCounter, backedUp: authenticationInfo.credentialBackedUp };
  } catch (cause) {
    return { refused: cause };
  }
}

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, "base64url"));
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");

const credentialInvalid = (cause?: unknown) =>
  appError("BadRequest", "The browser's answer is not one that a passkey gives. Try again.", {
    field: "credential",
    cause,
  });

const NONCE_BYTES = 16;
const END_BYTES = 8;
const MAC_BYTES = 32;
/** Also the time that a browser gives people. */
export const CHALLENGE_MS = 300_000;

export type Challenges = ReturnType<typeof createChallenges>;

/**
 * The challenges of WebAuthn are not stored: each is signed with `api.jwt_secret` together with its end and its
 * purpose. Whoever accepts one stores it as used until then (`useOnce`).
 */
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
