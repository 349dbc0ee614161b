import { z } from "zod";

/** Text for comparisons with stored ones. Not every database takes NUL. */
export const queryText = (mostCharacters: number) =>
  z
    .string()
    .max(mostCharacters)
    .refine((text) => !text.includes("\0"), "must not have a NUL");
