import { z } from "zod";

/** To compare stored texts with. Not every database takes NUL in it. */
export const queryText = (mostCharacters: number) =>
  z
    .string()
    .max(mostCharacters)
    .refine((text) => !text.includes("\0"), "takes no NUL");
