/**
 * What programs and people leave behind an address (`links.forgive_tails`): a full stop that ends the sentence, the
 * bracket or quote that closes, and parameters that a program stuck to an address without a query.
 */
import { scanCode } from "../lib/code-hash.ts";
import { CODE_START } from "./path-code.ts";

/**
 * Blanks; closing brackets and quotes of any script; `. , ; : ! ? * _ ~ > /` and their full-width forms, with the full
 * stop and comma of Chinese and Japanese; characters without a width.
 */
const LEFT_BEHIND =
  /^[\s\p{Z}\p{Pe}\p{Pf}\p{Quotation_Mark}.,;:!?*_~>/．，；：！？＊＿～＞／。、｡､\u200b-\u200f\u2060\ufeff]$/u;

const STUCK_PAIR = /^&[^&=/]{1,100}=/;

/** Longer paths are no address with something behind it. */
const LONGEST = 2_048;

/** The code in a path without what was left behind it; null if that is nothing, or no code. `end`: of the path. */
export function codeWithoutTail(path: string, end: number): string | null {
  if (endsPlainly(path, end) || end > LONGEST) return null;
  const written = decoded(path.slice(CODE_START, end));
  if (written === null) return null;
  const stuckAt = written.indexOf(AMPERSAND);
  const isStuck = stuckAt > 0 && STUCK_PAIR.test(written.slice(stuckAt, stuckAt + 102));
  const characters = [...(isStuck ? written.slice(0, stuckAt) : written)];
  let length = characters.length;
  while (length > 0 && LEFT_BEHIND.test(characters[length - 1]!)) length--;
  const code = characters.slice(0, length).join("");
  return code === written || code === "" || scanCode(code, 0) !== code.length ? null : code;
}

const AMPERSAND = "&";
const PERCENT = "%";

/** Rules out most paths: nothing is left behind a letter, digit or dash, unless something is encoded or stuck. */
function endsPlainly(path: string, end: number): boolean {
  const last = path.charCodeAt(end - 1) | 0x20;
  const isPlain = (last >= 97 && last <= 122) || (last >= 48 && last <= 57) || path[end - 1] === "-";
  return isPlain && !isWithin(path, PERCENT, end) && !isWithin(path, AMPERSAND, end);
}

function isWithin(path: string, character: string, end: number): boolean {
  const at = path.indexOf(character);
  return at !== -1 && at < end;
}

/** Null for what is no UTF-8. */
function decoded(path: string): string | null {
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}
