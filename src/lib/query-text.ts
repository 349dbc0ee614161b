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
