/** Names for accounts that a first sign-in makes. */
import { randomCode } from "../../lib/random-code.ts";
import { type Claims, textIn } from "./claims.ts";
import { asciiLower } from "../../lib/ascii-lower.ts";

/** Leaves room for a number. */
const LONGEST = 56;
const NUMBERED = 20;
const LONGEST_WISH = 1_000;

/** Of the name that the person prefers, else of the e-mail address, else `user`. */
export function usernameFrom(claims: Claims): string {
  const [local] = textIn(claims, "email")?.split("@", 1) ?? [];
  for (const wish of [textIn(claims, "preferred_username"), local, textIn(claims, "name")]) {
    const cleaned = clean(wish ?? "");
    if (cleaned !== "") return cleaned;
  }
  return "user";
}

/** The name, then with numbers from 2 on, at last with a random part. */
export const usernameChoices = (name: string): string[] => [
  name,
  ...Array.from({ length: NUMBERED }, (_, at) => `${name}-${at + 2}`),
  `${name.slice(0, LONGEST - 8)}-${asciiLower(randomCode(12))}`,
];

/** Latin letters without their accents; everything that a username can't have becomes a hyphen. */
function clean(text: string): string {
  const letters = text
    .slice(0, LONGEST_WISH)
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "");
  const plain = asciiLower(letters);
  const parts = plain
    .slice(0, LONGEST)
    .split(/[^a-z0-9._@]/)
    .map((part) => part.replace(/^[.]+/, ""));
  return parts.filter((part) => part !== "").join("-");
}
