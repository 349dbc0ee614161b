/** Names of things in lists: no control characters, which hide or turn round what stands beside them. */
import { z } from "zod";

const NAME = /^(?!\s)[^\p{Cc}\p{Cs}\p{Bidi_Control}]+(?<!\s)$/u;
/** Without classes that other languages lack. */
const REFUSED = String.raw`\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069`;
const NAME_PATTERN = String.raw`^(?!\s)[^${REFUSED}]+(?<!\s)$`;

export const visibleName = (most: number) =>
  z
    .string()
    .max(most)
    .regex(NAME, "must have a visible character, and no control characters or blanks at its ends")
    .meta({ minLength: 1, pattern: NAME_PATTERN });
