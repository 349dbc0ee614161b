/** Names a bulk change of an account: the instant of its events and their common number. */
import { randomInt } from "node:crypto";
import { cursorText, placeOf, timePlace } from "../lib/cursor.ts";
import { appError } from "../lib/errors.ts";

export type BulkId = { at: number; bulk: number };

/** What a portion of an undo did, after the event `after`. */
export type UndoProgress = {
  after: number;
  /** The last event that is handled; null at the end. */
  next: number | null;
  restored: number;
  failed: number;
  refusal: string | undefined;
  by: string;
  now: number;
};

const NUMBERS = 2 ** 47;

export const newBulk = (): number => randomInt(1, NUMBERS);

/** The text by which the account names it. */
export const bulkText = ({ at, bulk }: BulkId): string => cursorText({ at, id: bulk });

const RULE = "change: send it unchanged, as the answer to the change gave it.";

/** @throws BadRequest */
export function parseBulkId(text: string): BulkId {
  const place = placeOf(timePlace, text, RULE);
  if (place === null) throw appError("BadRequest", RULE);
  return { at: place.at, bulk: place.id };
}
