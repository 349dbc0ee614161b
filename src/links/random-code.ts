/**
 * Random codes of `A-Z a-z 0-9` from a cryptographic source. Bytes of 248 and above are thrown away, so that each
 * of the 62 characters is equally likely. A code that is taken or reserved is replaced by another one; where that
 * happens again and again the space of that length is all but full, and the code grows by a character, so the
 * search always ends.
 */
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const FAIR_BYTES = 256 - (256 % ALPHABET.length);
const ATTEMPTS_PER_LENGTH = 8;

/** Fills and returns an array of that many bytes. */
export type RandomBytes = (count: number) => Uint8Array;

const cryptoBytes: RandomBytes = (count) => crypto.getRandomValues(new Uint8Array(count));

export function randomCode(length: number, bytes: RandomBytes = cryptoBytes): string {
  let code = "";
  while (code.length < length) {
    for (const byte of bytes(length - code.length)) {
      if (byte < FAIR_BYTES) code += ALPHABET[byte % ALPHABET.length];
    }
  }
  return code;
}

/** Codes to try, one after the other, for one new link: the length at first, longer ones when those are taken. */
export function* randomCodes(length: number, bytes: RandomBytes = cryptoBytes): Generator<string, never> {
  for (let attempt = 0; ; attempt++) {
    yield randomCode(Math.min(128, length + Math.floor(attempt / ATTEMPTS_PER_LENGTH)), bytes);
  }
}
