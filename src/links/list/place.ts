/** Where a page of a list ends, in the order of the list. Cursors carry it. */
import { z } from "zod";
import { cursorText, placeOf } from "../../lib/cursor.ts";
import { appError } from "../../lib/errors.ts";
import { type LinkOrder, SORT_KEYS } from "./order.ts";

/** The place of a link. `value`: its creation, clicks or expiry (null: none); null in an order by code. */
export type ListPlace = { value: number | null; tie: string } | { value: number | null; tie: number };

export type Slice = {
  order: LinkOrder;
  offset: number;
  limit: number;
  /** Only what follows in the order. */
  after?: ListPlace | null;
};

const number = z.int().min(0);
const shape = z.tuple([z.enum(SORT_KEYS), z.boolean(), z.int().nullable(), z.string().max(140).or(number)]);

export const linkCursor = ({ sort, descending }: LinkOrder, { value, tie }: ListPlace): string =>
  cursorText([sort, descending, value, tie]);

/** Null for the first page. @throws BadRequest */
export function readLinkCursor({ sort, descending }: LinkOrder, text: string): ListPlace | null {
  const found = placeOf(shape, text);
  if (found === null) return null;
  const [ofSort, isDescending, value, tie] = found;
  if (ofSort !== sort || isDescending !== descending) {
    throw appError("BadRequest", "cursor: it belongs to a list in another order; start with an empty one.");
  }
  const isByCode = sort === "code" || sort === "created_at";
  const hasValue = sort === "code" || sort === "expires_at" || value !== null;
  if (isByCode !== (typeof tie === "string") || !hasValue) {
    throw appError("BadRequest", "cursor: send next_cursor of the previous page unchanged.");
  }
  return { value, tie } as ListPlace;
}
