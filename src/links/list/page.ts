import { z } from "zod";
import { pageOf, pageQuery } from "../../lib/page-query.ts";
import { filterOf, filterQuery, type LinkFilter } from "./filter.ts";

export const SORT_KEYS = ["created_at", "code", "click_count", "expires_at"] as const;
export type SortKey = (typeof SORT_KEYS)[number];

export type LinkOrder = {
  /** Ties follow by code for created_at, else by age. No expiry sorts as the latest expiry. */
  sort: SortKey;
  /** created_at: newest first, then by code. Ascending is the exact reverse. */
  descending: boolean;
};

export type LinkQuery = {
  filter: LinkFilter;
  order: LinkOrder;
  /** From 1. */
  page: number;
  pageSize: number;
};

/** An empty text counts as absent. */
const choice = <T extends string>(options: readonly T[], meaning: string) =>
  z
    .enum([...options, ""], `takes ${options.join(", ")}`)
    .optional()
    .describe(meaning)
    .meta({ enum: options });

export const listQuery = filterQuery.extend({
  ...pageQuery,
  sort: choice(
    SORT_KEYS,
    "default: created_at; from 100,000 links on, click_count is about half a minute old",
  ),
  order: choice(["asc", "desc"], "default: desc for created_at and click_count"),
});
export type ListQuery = z.output<typeof listQuery>;

/** @throws BadRequest, InvalidDateFormat like filterOf */
export function linkQueryOf(query: ListQuery, now: number): LinkQuery {
  const sort = query.sort || "created_at";
  const descends = sort === "created_at" || sort === "click_count";
  return {
    filter: filterOf(query, now),
    order: { sort, descending: query.order ? query.order === "desc" : descends },
    ...pageOf(query),
  };
}
