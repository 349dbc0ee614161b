/** Names of things in lists: no control characters, which hide or turn round what stands beside them. */
import { z } from "zod";
import { isLegibleText } from "../lib/file-name.ts";
import { REORDERING } from "../lib/text-direction.ts";

const NAME_PATTERN = String.raw`^(?!\s)[^\u0000-\u001f\u007f-\u009f${REORDERING}]+(?<!\s)$`;
const RULE = "must have a visible character, and no control characters or blanks at its ends";

export const visibleName = (most: number) =>
  z
    .string()
    .max(most)
    .refine((name) => name.isWellFormed() && name === name.trim() && isLegibleText(name), RULE)
    .meta({ minLength: 1, pattern: NAME_PATTERN });
