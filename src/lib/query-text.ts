import { z } from "zod";

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

/** A flag, case-insensitive: Python clients write True. */
export const flag = (meaning: string) =>
  z
    .string()
    .regex(/^(?:true|false|1|0)?$/i, "must be true or false")
    .optional()
    .describe(meaning)
    .meta({ type: "boolean", pattern: undefined });

export const isSet = (text: string | undefined): boolean => /^(?:true|1)$/i.test(text ?? "");
