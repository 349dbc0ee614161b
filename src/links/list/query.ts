/** Queries of the list: filter, order, and page or place. */
import { z } from "zod";
import { pageOf, pageQuery } from "../../lib/page-query.ts";
import { flag, isSet, queryChoice } from "../../lib/query-text.ts";
import { everyDomain, filterOf, filterQuery, type LinkFilter } from "./filter.ts";
import { cursorQuery, cursorText, placeOf } from "../../lib/cursor.ts";
import { appError } from "../../lib/errors.ts";

export const SORT_KEYS = ["created_at", "code", "human_clicks", "click_count", "expires_at"] as const;
export type SortKey = (typeof SORT_KEYS)[number];

export const isByClicks = (sort: SortKey): sort is "human_clicks" | "click_count" =>
  sort === "human_clicks" || sort === "click_count";
export const ORDER_WAYS = ["asc", "desc"] as const;

export type LinkOrder = {
  /** Ties follow by code for created_at, else by age. No expiry sorts as the latest expiry. */
  sort: SortKey;
  /** created_at: newest first, then by code. Ascending is the exact reverse. */
  descending: boolean;
};

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

/** Parses a cursor; null for the first page. @throws BadRequest */
function readLinkCursor({ sort, descending }: LinkOrder, text: string): ListPlace | null {
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

export type LinkQuery = {
  filter: LinkFilter;
  order: LinkOrder;
  /** From 1. */
  page: number;
  pageSize: number;
};

export type PlacedQuery = {
  filter: LinkFilter;
  order: LinkOrder;
  /** The place after which the page begins; null: at the start. */
  after: ListPlace | null;
  limit: number;
};

export const listQuery = filterQuery.extend({
  ...pageQuery,
  sort: queryChoice(
    SORT_KEYS,
    "default: created_at; from 100,000 links on, orders by clicks are about half a minute old",
  ),
  order: queryChoice(ORDER_WAYS, "default: desc for created_at and clicks"),
  total: flag("false: next_cursor instead of pagination, before the links are counted"),
  count: flag("with a cursor: true adds total, the number of all links that the filter finds"),
  cursor: cursorQuery.cursor.describe(
    "instead of page: empty for the first page, then next_cursor of the previous one",
  ),
});
export type ListQuery = z.output<typeof listQuery>;

/** @throws BadRequest, InvalidDateFormat like filterOf */
export const linkQueryOf = (query: ListQuery, now: number, domainOf = everyDomain): LinkQuery => ({
  filter: filterOf(query, now, domainOf),
  order: orderOf(query),
  ...pageOf(query),
});

/** The query of a page after a place; null without a cursor. @throws BadRequest, InvalidDateFormat like filterOf */
export function placedQueryOf(query: ListQuery, now: number, domainOf = everyDomain): PlacedQuery | null {
  if (query.cursor === undefined) return null;
  if (query.page) throw appError("BadRequest", "cursor and page exclude each other; give one of them.");
  const order = orderOf(query);
  const after = readLinkCursor(order, query.cursor);
  return { filter: filterOf(query, now, domainOf), order, after, limit: pageOf(query).pageSize };
}

function orderOf({ sort: by, order }: ListQuery): LinkOrder {
  const sort = by || "created_at";
  const descends = sort === "created_at" || isByClicks(sort);
  return { sort, descending: order ? order === "desc" : descends };
}

/** A list by cursor has no total unless requested. */
export const asksForTotal = ({ count }: ListQuery): boolean => isSet(count);

/** Whether a page has the total, as by default. */
export const isCounted = ({ total }: ListQuery): boolean => !/^(?:false|0)$/i.test(total ?? "");
