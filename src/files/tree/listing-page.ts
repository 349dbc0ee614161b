import { cursorText, placeOf } from "../../lib/cursor.ts";
import { z } from "zod";
import type { Cursor } from "./folders.service.ts";

export const LARGEST_PAGE = 1_000;

const CURSOR_MAX_LENGTH = 2_000;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

export const contentsQuery = z.object({
  limit: z
    .string()
    .regex(/^\d{1,15}$/, "must be a whole number")
    .optional()
    .describe(`return one page of so many entries, clamped to 1 to ${LARGEST_PAGE}; default: everything`)
    .meta({ type: "integer", minimum: 0, maximum: 999_999_999_999_999, pattern: undefined }),
  cursor: z
    .string()
    .max(CURSOR_MAX_LENGTH)
    .optional()
    .describe("next_cursor of the previous page, unchanged")
    .meta({ pattern: BASE64URL.source }),
});

/** Parses the page of a request, or null if it wants everything. @throws BadRequest */
export function requestedPage(
  query: z.output<typeof contentsQuery>,
): { after: Cursor | null; limit: number } | null {
  if (query.limit === undefined && query.cursor === undefined) return null;
  const limit = Math.min(Math.max(Number(query.limit ?? LARGEST_PAGE), 1), LARGEST_PAGE);
  return { after: query.cursor === undefined ? null : readCursor(query.cursor), limit };
}

export const listingCursor = ({ kind, name }: Cursor): string => cursorText([kind, name]);

const cursorShape = z
  .tuple([z.enum(["folder", "file"]), z.string()])
  .transform(([kind, name]): Cursor => ({ kind, name }));

/** An empty one is none. @throws BadRequest */
export const readCursor = (text: string): Cursor => placeOf(cursorShape, text || "?")!;
