/** How requests name a bulk change, and a position in it. */
import { z } from "zod";
import type { BulkId } from "../bulk-id.ts";
import { cursorText, placeOf, timePlace } from "../../lib/cursor.ts";
import { appError } from "../../lib/errors.ts";

const MOST_CHARACTERS = 200;
const RULE = "change: send it unchanged, as the answer to the change gave it.";

/** @throws BadRequest */
export function bulkOf(text: string): BulkId {
  const place = placeOf(timePlace, text, RULE);
  if (place === null) throw appError("BadRequest", RULE);
  return { at: place.at, bulk: place.id };
}

export const bulkField = z
  .string()
  .min(1)
  .max(MOST_CHARACTERS)
  .describe("change of the answer to the change");

/** Where a call ended: the range of links that remain. */
export type BulkPlace = BulkId & { from: number; to: number };

const id = z.int().min(0);
const place = z.object({ at: z.int(), bulk: id, from: id, to: id });

export const bulkCursor = z.string().max(MOST_CHARACTERS);

export const bulkCursorText = (at: BulkPlace): string => cursorText(at);

/** Null for the first call. @throws BadRequest */
export const bulkPlaceOf = (cursor: string | undefined): BulkPlace | null =>
  placeOf(place, cursor, "cursor: send next of the previous answer unchanged.");
