import type { z } from "zod";
import { pageOf, pageQuery } from "../../lib/page-query.ts";
import { queryChoice } from "../../lib/query-text.ts";
import { everyDomain, filterOf, filterQuery, flag, isSet, type LinkFilter } from "./filter.ts";
import { cursorQuery } from "../../lib/cursor.ts";
import { appError } from "../../lib/errors.ts";
import { type LinkOrder, ORDER_WAYS, SORT_KEYS } from "./order.ts";
import { type ListPlace, readLinkCursor } from "./place.ts";

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
  /** Null: from the start. */
  after: ListPlace | null;
  limit: number;
};

export const listQuery = filterQuery.extend({
  ...pageQuery,
  sort: queryChoice(
    SORT_KEYS,
    "default: created_at; from 100,000 links on, click_count is about half a minute old",
  ),
  order: queryChoice(ORDER_WAYS, "default: desc for created_at and click_count"),
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

/** Null without a cursor. @throws BadRequest, InvalidDateFormat like filterOf */
export function placedQueryOf(query: ListQuery, now: number, domainOf = everyDomain): PlacedQuery | null {
  if (query.cursor === undefined) return null;
  if (query.page) throw appError("BadRequest", "cursor and page exclude each other; give one of them.");
  const order = orderOf(query);
  const after = readLinkCursor(order, query.cursor);
  return { filter: filterOf(query, now, domainOf), order, after, limit: pageOf(query).pageSize };
}

function orderOf({ sort: by, order }: ListQuery): LinkOrder {
  const sort = by || "created_at";
  const descends = sort === "created_at" || sort === "click_count";
  return { sort, descending: order ? order === "desc" : descends };
}

/** A list by cursor has no total unless asked. */
export const asksForTotal = ({ count }: ListQuery): boolean => isSet(count);

/** By default. */
export const isCounted = ({ total }: ListQuery): boolean => !/^(?:false|0)$/i.test(total ?? "");
