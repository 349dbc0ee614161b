/**
 * Random codes of `A-Z a-z 0-9`. Bytes from 248 are discarded, so all 62 characters are equally likely. After several
 * taken codes in a row the code grows by a character, so the search ends.
 */
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const FAIR_BYTES = 256 - (256 % ALPHABET.length);
const ATTEMPTS_PER_LENGTH = 8;

/** Returns that many random bytes. */
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

/** First of this length, longer after several collisions. */
export function* randomCodes(length: number, bytes: RandomBytes = cryptoBytes): Generator<string, never> {
  for (let attempt = 0; ; attempt++) {
    yield randomCode(Math.min(128, length + Math.floor(attempt / ATTEMPTS_PER_LENGTH)), bytes);
  }
}
