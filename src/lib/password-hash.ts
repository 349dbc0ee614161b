/** Password hashes of other products that can be verified besides Argon2: bcrypt and PBKDF2 in the crypt form. */
import { pbkdf2, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

const BCRYPT = /^\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}$/;
/** `$pbkdf2-sha256$i=29000$salt$hash`, base64 with or without padding; passlib has the number alone and `.` for `+`. */
const PBKDF2 =
  /^\$pbkdf2-?(sha1|sha256|sha512)?\$(?:i=)?(\d{1,8})(?:,l=\d{1,3})?\$([A-Za-z0-9+/.=]{1,172})\$([A-Za-z0-9+/.=]{16,172})$/;

/** More would let one request hold a core for seconds. */
const MOST_ITERATIONS = 2_000_000;
const MOST_BCRYPT_COST = 14;

const isBcrypt = (hash: string): boolean =>
  BCRYPT.test(hash) && Number(hash.split("$")[2]) <= MOST_BCRYPT_COST;

type Pbkdf2 = { digest: string; iterations: number; salt: Buffer; hash: Buffer };

function readPbkdf2(text: string): Pbkdf2 | null {
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

/** Whether it is bcrypt or PBKDF2 of a bounded cost. Other texts are passwords, but for Argon2. */
export const isForeignHash = (text: string): boolean =>
  text.length <= 255 && (isBcrypt(text) || readPbkdf2(text) !== null);

const derive = promisify(pbkdf2);
/** More bytes have no part in bcrypt. */
const BCRYPT_BYTES = 72;

/** Takes a hash that `isForeignHash` accepts. */
export async function verifyForeign(plain: string, hash: string): Promise<boolean> {
  const found = readPbkdf2(hash);
  if (found === null) {
    const bytes = Buffer.from(plain).subarray(0, BCRYPT_BYTES);
    // The letter tells versions of programs, which agree on these bytes.
    return (
      bytes.length > 0 &&
      Bun.password.verify(
        bytes,
        hash.replace(/^\$2[axy]?\$/, () => "$2b$"),
      )
    );
  }
  const { salt, iterations, digest, hash: expected } = found;
  return timingSafeEqual(await derive(plain, salt, iterations, expected.length, digest), expected);
}
