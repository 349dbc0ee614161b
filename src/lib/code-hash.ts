/**
 * Scans and hashes codes in place.
 *
 * The hash is FNV-1a with the finish of MurmurHash3: the link table uses its low bits, the Bloom filter its high bits.
 * A random seed per process prevents prepared collisions.
 */

/** The limit counts ASCII characters. */
export const MAX_CODE_LENGTH = 128;
/** With the prefix of a domain; see links/link/key.ts. */
export const MAX_KEY_LENGTH = 140;

const CODE_CHARACTER = 1;
const END = 2;
const ESCAPE = 3;

/** Class of each ASCII character in a path; 0: not allowed in a code. */
const MEANING = new Uint8Array(128);
for (const character of "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-/") {
  MEANING[character.charCodeAt(0)] = CODE_CHARACTER;
}
MEANING["?".charCodeAt(0)] = END;
MEANING["%".charCodeAt(0)] = ESCAPE;

/** An invalid character, or more than 128 characters. */
export const NOT_A_CODE = -1;
/** A percent sign: decode the path first. */
export const ESCAPED = -2;

/** End of the code at `start`: before `?` or the end of the text. Negative: NOT_A_CODE or ESCAPED. */
export function scanCode(text: string, start: number): number {
  const length = text.length;
  let at = start;
  for (; at < length; at++) {
    const character = text.charCodeAt(at);
    const meaning = character < 128 ? MEANING[character]! : 0;
    if (meaning === CODE_CHARACTER) continue;
    if (meaning === END) break;
    return meaning === ESCAPE ? ESCAPED : NOT_A_CODE;
  }
  return at - start > MAX_CODE_LENGTH ? NOT_A_CODE : at;
}

/** A signed 32-bit hash. `end` is excluded. */
export function hashCode(text: string, start: number, end: number, seed: number): number {
  let hash = seed;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return finish(hash);
}

/** Hashes codes that single blanks separate. */
export function hashCodes(codes: string, seed: number, use: (hash: number) => void): void {
  for (let start = 0; start < codes.length; ) {
    const blank = codes.indexOf(" ", start);
    const end = blank < 0 ? codes.length : blank;
    use(hashCode(codes, start, end, seed));
    start = end + 1;
  }
}

export function hashBytes(bytes: Uint8Array, start: number, end: number, seed: number): number {
  let hash = seed;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  return finish(hash);
}

function finish(mixed: number): number {
  let hash = mixed ^ (mixed >>> 16);
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
