import { z } from "zod";
import { appError } from "./errors.ts";

const MAX_LENGTH = 1_000;
const BASE64URL = /^[A-Za-z0-9_-]+$/;
const LARGEST_PAGE = 100;
const PAGE_SIZE = 20;
const RULE = "cursor: send next_cursor of the previous page unchanged.";

/** Fields for `z.object`. */
export const cursorQuery = {
  cursor: z
    .string()
    .max(MAX_LENGTH)
    .optional()
    .describe("next_cursor of the previous page, unchanged; absent or empty: the first page")
    .meta({ pattern: `^(?:${BASE64URL.source.slice(1, -1)})?$` }),
  limit: z
    .string()
    .regex(/^\d{0,15}$/, "must be a whole number")
    .optional()
    .describe(`clamped to 1 to ${LARGEST_PAGE}`)
    .meta({ type: "integer", default: PAGE_SIZE, pattern: undefined }),
};

export const limitOf = (text: string | undefined): number =>
  text ? Math.min(Math.max(Number(text), 1), LARGEST_PAGE) : PAGE_SIZE;

/** @param place JSON */
export const cursorText = (place: unknown): string =>
  Buffer.from(JSON.stringify(place)).toString("base64url");

/** Returns null for the first page. @param rule what to give @throws BadRequest */
export function placeOf<T>(shape: z.ZodType<T>, cursor: string | undefined, rule = RULE): T | null {
  if (!cursor) return null;
  try {
    if (!BASE64URL.test(cursor)) throw new Error("not base64url");
    return shape.parse(JSON.parse(Buffer.from(cursor, "base64url").toString()));
  } catch (cause) {
    throw appError("BadRequest", rule, { cause });
  }
}

/** A time in epoch milliseconds and an id. */
export const timePlace = z.object({ at: z.int(), id: z.int() });
