/**
 * Secrets at rest, sealed with AES-256-GCM (NIST SP 800-38D): `v1.<key id>.<base64url of nonce, ciphertext, tag>`.
 * Random 96-bit nonces limit a key to 2^32 sealings. The purpose is authenticated. The key id, 32 bits of the key's
 * SHA-256 (its fingerprint), tells another key from damage.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";

const VERSION = "v1";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
export const SECRET_KEY_BYTES = 32;

export type SecretBox = ReturnType<typeof createSecretBox>;

export class SealedWithAnotherKey extends Error {}

/** There is something in the place of the key that is none. The message explains where, without a full stop. */
export class MalformedSecretKey extends Error {}

/** The beginning of what the key with this fingerprint has sealed. */
export const sealedPrefix = (fingerprint: string): string => `${VERSION}.${idOf(fingerprint)}.`;

const idOf = (fingerprint: string): string => fingerprint.slice(0, 8);

type Loaded = { key: Uint8Array; fingerprint: string };

/**
 * `findKey`: null while there is none. `claim` runs before a key is used for something that lasts; it makes a missing
 * key, or throws if this one must not be used.
 */
export function createSecretBox(
  findKey: () => Uint8Array | null,
  claim: () => Promise<void> = async () => {},
) {
  let loaded: Loaded | undefined;
  const find = (): Loaded | null => {
    if (loaded !== undefined) return loaded;
    const key = findKey();
    if (key === null) return null;
    if (key.byteLength !== SECRET_KEY_BYTES) throw new Error(`A secret key has ${SECRET_KEY_BYTES} bytes.`);
    loaded = { key, fingerprint: createHash("sha256").update(key).digest("hex") };
    return loaded;
  };
  const findWellFormed = (): Loaded | null => {
    try {
      return find();
    } catch (error) {
      if (error instanceof MalformedSecretKey) return null;
      throw error;
    }
  };
  const claimed = async (): Promise<Loaded> => {
    await claim();
    const found = find();
    if (found === null) throw new Error("There is no secret key.");
    return found;
  };
  return {
    /** SHA-256 of the key, 64 hex digits; null without one. @throws MalformedSecretKey */
    fingerprint: (): string | null => find()?.fingerprint ?? null,
    /** 32 bytes that follow from the key (HKDF, RFC 5869), others for each purpose. Not within a transaction. */
    derive: async (purpose: string): Promise<Uint8Array> =>
      new Uint8Array(hkdfSync("sha256", (await claimed()).key, "", purpose, SECRET_KEY_BYTES)),
    /** Not within a transaction. */
    async seal(secret: string, purpose: string): Promise<string> {
      const { key, fingerprint } = await claimed();
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(purpose));
      const parts = [nonce, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()];
      return `${sealedPrefix(fingerprint)}${Buffer.concat(parts).toString("base64url")}`;
    },
    /** @throws SealedWithAnotherKey; Error if damaged or sealed for another purpose */
    open(sealed: string, purpose: string): string {
      const found = findWellFormed();
      const [version, sealedWith, text = "", ...more] = sealed.split(".");
      const bytes = Buffer.from(text, "base64url");
      if (version !== VERSION || more.length > 0 || bytes.length < NONCE_BYTES + TAG_BYTES) {
        throw new Error("This is not a sealed secret.");
      }
      if (found === null || sealedWith !== idOf(found.fingerprint))
        throw new SealedWithAnotherKey("The secret was sealed with another key.");
      const decipher = createDecipheriv("aes-256-gcm", found.key, bytes.subarray(0, NONCE_BYTES));
      decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(-TAG_BYTES));
      const opened = [decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()];
      return Buffer.concat(opened).toString("utf8");
    },
  };
}
