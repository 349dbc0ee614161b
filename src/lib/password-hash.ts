/** Password hashes of other products that can be verified: bcrypt, PBKDF2 and Argon2, in the PHC or crypt form. */
const ARGON2 = /^\$argon2(?:i|d|id)\$v=\d+\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]{1,86}\$[A-Za-z0-9+/]{1,86}$/;
const BCRYPT = /^\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}$/;
/** `$pbkdf2-sha256$i=29000$salt$hash`, base64 with or without padding; passlib has the number alone and `.` for `+`. */
const PBKDF2 =
  /^\$pbkdf2-?(sha1|sha256|sha512)?\$(?:i=)?(\d{1,8})(?:,l=\d{1,3})?\$([A-Za-z0-9+/.=]{1,172})\$([A-Za-z0-9+/.=]{16,172})$/;

/** More would let one request hold a core for seconds. */
const MOST_ITERATIONS = 2_000_000;
const MOST_BCRYPT_COST = 14;

export const isBcrypt = (hash: string): boolean =>
  BCRYPT.test(hash) && Number(hash.split("$")[2]) <= MOST_BCRYPT_COST;

export type Pbkdf2 = { digest: string; iterations: number; salt: Buffer; hash: Buffer };

export function readPbkdf2(text: string): Pbkdf2 | null {
  const [, digest = "sha1", iterations, salt, hash] = PBKDF2.exec(text) ?? [];
  if (
    salt === undefined ||
    hash === undefined ||
    Number(iterations) > MOST_ITERATIONS ||
    Number(iterations) === 0
  )
    return null;
  const bytes = (base64: string) => Buffer.from(base64.replaceAll(".", "+"), "base64");
  return { digest, iterations: Number(iterations), salt: bytes(salt), hash: bytes(hash) };
}

/** Whether a text is such a hash, of a bounded cost. Other texts are passwords. */
export const isPasswordHash = (text: string): boolean =>
  text.length <= 255 && (ARGON2.test(text) || isBcrypt(text) || readPbkdf2(text) !== null);
