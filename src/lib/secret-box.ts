/**
 * Secrets at rest, sealed with AES-256-GCM (NIST SP 800-38D): `v1.<key id>.<base64url of nonce, ciphertext, tag>`.
 * Random 96-bit nonces limit a key to 2^32 sealings. The purpose is authenticated. The key id, 32 bits of the key's
 * SHA-256, tells another key from damage.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";

const VERSION = "v1";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
export const SECRET_KEY_BYTES = 32;

export type SecretBox = ReturnType<typeof createSecretBox>;

export class SealedWithAnotherKey extends Error {}

export function createSecretBox(loadKey: () => Uint8Array) {
  let loaded: { key: Uint8Array; id: string } | undefined;
  const current = () => {
    if (loaded !== undefined) return loaded;
    const key = loadKey();
    if (key.byteLength !== SECRET_KEY_BYTES) throw new Error(`A secret key has ${SECRET_KEY_BYTES} bytes.`);
    loaded = { key, id: createHash("sha256").update(key).digest("hex").slice(0, 8) };
    return loaded;
  };
  return {
    /** 32 bytes that follow from the key (HKDF, RFC 5869), others for each purpose. */
    derive: (purpose: string): Uint8Array =>
      new Uint8Array(hkdfSync("sha256", current().key, "", purpose, SECRET_KEY_BYTES)),
    seal(secret: string, purpose: string): string {
      const { key, id } = current();
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(purpose));
      const parts = [nonce, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()];
      return `${VERSION}.${id}.${Buffer.concat(parts).toString("base64url")}`;
    },
    /** @throws SealedWithAnotherKey; Error if damaged or sealed for another purpose */
    open(sealed: string, purpose: string): string {
      const { key, id } = current();
      const [version, sealedWith, text = "", ...more] = sealed.split(".");
      const bytes = Buffer.from(text, "base64url");
      if (version !== VERSION || more.length > 0 || bytes.length < NONCE_BYTES + TAG_BYTES) {
        throw new Error("This is not a sealed secret.");
      }
      if (sealedWith !== id) throw new SealedWithAnotherKey("The secret was sealed with another key.");
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES));
      decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(-TAG_BYTES));
      const opened = [decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()];
      return Buffer.concat(opened).toString("utf8");
    },
  };
}
