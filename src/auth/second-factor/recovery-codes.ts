/** Recovery codes: 80 random bits each, so a plain hash protects them. */
import { createHash, randomBytes } from "node:crypto";
import { asciiLower } from "../../lib/ascii-lower.ts";

const CODES = 10;
/** 32 letters and digits that look different. */
const ALPHABET = "23456789abcdefghijkmnpqrstuvwxyz";
const CHARACTERS = 16;

export const newRecoveryCodes = (): string[] => Array.from({ length: CODES }, newCode);

function newCode(): string {
  const letters = [...randomBytes(CHARACTERS)].map((byte) => ALPHABET[byte % ALPHABET.length]).join("");
  return letters.match(/.{4}/g)!.join("-");
}

/** Case, blanks and hyphens do not count. */
export function hashOfRecoveryCode(accountId: number, typed: string): string {
  const code = asciiLower(typed).replaceAll(/[^a-z0-9]/g, "");
  return createHash("sha256").update(`recovery ${accountId} ${code}`).digest("hex");
}
