/**
 * Test support: an authenticator in software (Web Authentication, Level 3, section 6), independent of the program's
 * library.
 */
import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

/** What a browser or an authenticator may get wrong. */
export type Slip = {
  origin?: string;
  rpId?: string;
  type?: string;
  crossOrigin?: boolean;
  isVerified?: boolean;
  counter?: number;
  /** Another key signs. */
  key?: KeyObject;
  /** An attestation statement, as CBOR, that nobody requested. */
  statement?: { format: string; cbor: Buffer };
};

type PasskeyOptions = { challenge: string; rpId?: string; rp?: { id: string } };

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");
const sha256 = (data: string | Uint8Array): Buffer => createHash("sha256").update(data).digest();
const cborText = (value: string): Buffer =>
  Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);
const cborBytes = (value: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0x59, value.length >> 8, value.length & 255]), value]);

export function createAuthenticator(origin: string, { counts = true } = {}) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const id = randomBytes(32);
  const { x, y } = publicKey.export({ format: "jwk" }) as { x: string; y: string };
  let counter = 0;

  function clientData(type: string, { challenge }: PasskeyOptions, slip: Slip): Buffer {
    const given = { type: slip.type ?? type, challenge, origin: slip.origin ?? origin };
    return Buffer.from(JSON.stringify({ ...given, crossOrigin: slip.crossOrigin ?? false }));
  }

  function authData(options: PasskeyOptions, slip: Slip, more: Buffer[] = []): Buffer {
    const flags = USER_PRESENT | (slip.isVerified === false ? 0 : USER_VERIFIED);
    const count = Buffer.alloc(4);
    if (counts) counter += 1;
    count.writeUInt32BE(slip.counter ?? counter);
    const rpId = slip.rpId ?? options.rpId ?? options.rp?.id ?? "";
    return Buffer.concat([
      sha256(rpId),
      Buffer.from([flags | (more.length > 0 ? HAS_CREDENTIAL : 0)]),
      count,
      ...more,
    ]);
  }

  const envelope = { id: text(id), rawId: text(id), type: "public-key", clientExtensionResults: {} };

  return {
    id: text(id),

    /** As `navigator.credentials.create()`. */
    create(options: PasskeyOptions, slip: Slip = {}) {
      const key = Buffer.concat([
        Buffer.from("a5010203262001215820", "hex"),
        Buffer.from(x, "base64url"),
        Buffer.from("225820", "hex"),
        Buffer.from(y, "base64url"),
      ]);
      const length = Buffer.from([id.length >> 8, id.length & 255]);
      const data = authData(options, slip, [Buffer.alloc(16), length, id, key]);
      const { format, cbor } = slip.statement ?? { format: "none", cbor: Buffer.from([0xa0]) };
      const attestation = Buffer.concat([
        Buffer.from([0xa3]),
        cborText("fmt"),
        cborText(format),
        cborText("attStmt"),
        cbor,
        cborText("authData"),
        cborBytes(data),
      ]);
      const response = {
        clientDataJSON: text(clientData("webauthn.create", options, slip)),
        attestationObject: text(attestation),
        transports: ["internal", "hybrid", "made-up"],
        publicKeyAlgorithm: -7,
      };
      return { ...envelope, response };
    },

    /** As `navigator.credentials.get()`. */
    get(options: PasskeyOptions, slip: Slip = {}) {
      const client = clientData("webauthn.get", options, slip);
      const data = authData(options, slip);
      const signature = createSign("sha256")
        .update(Buffer.concat([data, sha256(client)]))
        .sign(slip.key ?? privateKey);
      const response = {
        clientDataJSON: text(client),
        authenticatorData: text(data),
        signature: text(signature),
        userHandle: text(Buffer.alloc(32)),
      };
      return { ...envelope, response };
    },
  };
}
