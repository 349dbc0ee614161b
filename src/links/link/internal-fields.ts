/** Which fields of links those that serve something of ours may be given. */
import { badField } from "../../lib/errors.ts";
import { CHOSEN } from "./fields.ts";
import type { PatchInput } from "./link.ts";

const REDIRECT_FIELDS = Object.keys(CHOSEN) as (keyof typeof CHOSEN)[];
const FEWEST_CHARACTERS = 8;

/** @throws BadRequest for fields of links that redirect, and for short passwords */
export function validateInternalFields(input: PatchInput, kind: "share" | "report"): void {
  const field = REDIRECT_FIELDS.find((name) => input[name] !== undefined && input[name] !== null);
  if (field !== undefined) {
    throw badField(field, `${field} is for links to URLs; leave it out.`);
  }
  if (input.password && [...input.password].length < FEWEST_CHARACTERS) {
    throw badField("password", `The password of a ${kind} has at least ${FEWEST_CHARACTERS} characters.`);
  }
}

/** The refusal of a code that keeps the password of its redirect, which may be short. */
export const passwordNeeded = (kind: "share" | "report") =>
  badField(
    "password",
    `The password of a ${kind} has at least ${FEWEST_CHARACTERS} characters. How long this link's password is can't be ` +
      "told: give password again, or remove it first.",
  );
