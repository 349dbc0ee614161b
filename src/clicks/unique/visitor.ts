/** Tells visitors of one day apart without knowing who they are. */
const SALT_BYTES = 32;

export const newSalt = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(SALT_BYTES))).toString("hex");

type Visitor = { address: string; agent: string; isAutomated: boolean };

const HIGH_BITS = 0x1fffff;

/**
 * The first 53 bits of HMAC-SHA-256 under the salt of the day, never 0. Automated requests of an address are a visitor of
 * their own.
 */
export function visitorOf(salt: string, { address, agent, isAutomated }: Visitor): number {
  const text = `${isAutomated ? 1 : 0}\0${address}\0${agent}`;
  const digest = new Bun.CryptoHasher("sha256", salt).update(text).digest();
  return (digest.readUInt32LE(4) & HIGH_BITS) * 0x1_0000_0000 + digest.readUInt32LE(0) || 1;
}
