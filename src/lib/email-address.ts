import { z } from "zod";
import { asciiLower } from "./ascii-lower.ts";

/** ASCII, which every mail server takes, in lower case. */
export const emailSchema = z
  .email({ error: ({ input }) => (typeof input === "string" ? "must be an e-mail address" : undefined) })
  .max(254)
  .overwrite(asciiLower);
