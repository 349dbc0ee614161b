/** An API token: `wmk_`, 34 random characters of A-Z a-z 0-9, and six that are their CRC-32. */
import { randomCode } from "../../lib/random-code.ts";

const PREFIX = "wmk_";
const RANDOM_LENGTH = 34;
const CHECKSUM_LENGTH = 6;
const FORM = /^wmk_[A-Za-z0-9]{40}$/;
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

export function newTokenText(): string {
  const text = PREFIX + randomCode(RANDOM_LENGTH);
  return text + checksumOf(text);
}

/** Whether a bearer is meant as an API token. */
export const looksLikeApiToken = (text: string): boolean => text.startsWith(PREFIX);

export const isTokenText = (text: string): boolean =>
  FORM.test(text) && checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);

/** 64 hexadecimal digits. The text has 202 random bits, so a plain hash can't be guessed. */
export const hashOfToken = (text: string): string =>
  new Bun.CryptoHasher("sha256").update(text).digest("hex");

function checksumOf(text: string): string {
  let rest = Bun.hash.crc32(text);
  let digits = "";
  for (let at = 0; at < CHECKSUM_LENGTH; at++) {
    digits = DIGITS[rest % DIGITS.length] + digits;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}
