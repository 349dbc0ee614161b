import { z } from "zod";
import { appError } from "./errors.ts";

/** One of a few words. An empty text counts as absent. */
export const queryChoice = <T extends string>(words: readonly T[], meaning: string) =>
  z
    .enum([...words, ""], `must be one of ${words.join(", ")}`)
    .optional()
    .describe(meaning)
    .meta({ enum: words });

/** Text for comparisons with stored ones. Not every database takes NUL. */
export const queryText = (mostCharacters: number) =>
  z
    .string()
    .max(mostCharacters)
    .refine((text) => !text.includes("\0"), "must not have a NUL");

const FLAG = /^(?:true|false|1|0)?$/i;

/** A flag, case-insensitive: Python clients write True. */
export const flag = (meaning: string) =>
  z
    .string()
    .regex(FLAG, "must be true or false")
    .optional()
    .describe(meaning)
    .meta({ type: "boolean", pattern: undefined });

export const isSet = (text: string | undefined): boolean => /^(?:true|1)$/i.test(text ?? "");

/** The value of a flag that no schema validates. @throws BadRequest */
export function parseFlag(name: string, text: string): boolean {
  if (FLAG.test(text)) return isSet(text);
  throw appError("BadRequest", `${name} must be true or false, not "${text}".`);
}
