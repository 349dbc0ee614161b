/**
 * Reading codes where they stand, inside a longer text such as a request's URL, without cutting strings out of it.
 *
 * The hash is FNV-1a over the characters with the finish of MurmurHash3, so that its low and high bits are equally
 * good: the link table takes its slot from the low ones, the Bloom filter its block from the high ones. It starts
 * from a seed chosen per process, so that nobody outside can prepare codes that collide.
 */

/** The longest code, in characters (a code is ASCII, so also in bytes). */
export const MAX_CODE_LENGTH = 128;

const CODE_CHARACTER = 1;
const END = 2;
const ESCAPE = 3;

/** What each ASCII character means in a path; 0 can't stand in a code. */
const MEANING = new Uint8Array(128);
for (const character of "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-/") {
  MEANING[character.charCodeAt(0)] = CODE_CHARACTER;
}
MEANING["?".charCodeAt(0)] = END;
MEANING["#".charCodeAt(0)] = END;
MEANING["%".charCodeAt(0)] = ESCAPE;

/** `scanCode` met a character that can't stand in a code, or more than 128 of them. */
export const NOT_A_CODE = -1;
/** `scanCode` met a percent sign: decode the path first. */
export const ESCAPED = -2;

/**
 * Where the code that starts at `start` ends: before `?`, `#` or at the end of the text. An empty code ends where
 * it starts. Negative: NOT_A_CODE or ESCAPED.
 */
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

/** The 32-bit hash, as a signed integer, of the characters from `start` up to and without `end`. */
export function hashCode(text: string, start: number, end: number, seed: number): number {
  let hash = seed;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return finish(hash);
}

/** The same hash of a code that stands in bytes. */
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
