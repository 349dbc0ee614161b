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

/** For QR codes (Key Uri Format). */
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
