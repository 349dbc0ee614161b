/** Which part of a list, and in which order: the query parameters and what they mean. */
import { z } from "zod";
import { filterOf, filterQuery, type LinkFilter } from "./link-filter.ts";

export const SORT_KEYS = ["created_at", "code", "click_count", "expires_at"] as const;
export type SortKey = (typeof SORT_KEYS)[number];

export type LinkOrder = {
  /**
   * Equals follow by code for created_at and by age for click_count and expires_at. A link without an expiry counts
   * as expiring last of all.
   */
  sort: SortKey;
  /** Created_at descending is newest first, then by code; ascending is exactly the reverse. */
  descending: boolean;
};

export type LinkQuery = {
  filter: LinkFilter;
  order: LinkOrder;
  /** From 1. */
  page: number;
  pageSize: number;
};

const PAGE_SIZE = 20;
const LARGEST_PAGE_SIZE = 100;
/** So that page times page size stays a whole number. */
const LAST_PAGE = 1_000_000_000;

const whole = (meaning: string, schema: Record<string, unknown>) =>
  z
    .string()
    .regex(/^(?:[+-]?\d+)?$/, "takes a whole number")
    .optional()
    .describe(meaning)
    .meta({ type: "integer", pattern: undefined, ...schema });

export const listQuery = filterQuery.extend({
  page: whole("from 1", { default: 1, minimum: 1 }),
  page_size: whole("clamped to 1 to 100", { default: PAGE_SIZE, minimum: 1, maximum: LARGEST_PAGE_SIZE }),
  sort: z
    .enum([...SORT_KEYS, ""])
    .optional()
    .describe("created_at unless told"),
  order: z.enum(["asc", "desc", ""]).optional().describe("desc for created_at and click_count unless told"),
});
export type ListQuery = z.output<typeof listQuery>;

/** @throws BadRequest, InvalidDateFormat as filterOf does */
export function linkQueryOf(query: ListQuery, now: number): LinkQuery {
  const sort = query.sort || "created_at";
  const descends = sort === "created_at" || sort === "click_count";
  return {
    filter: filterOf(query, now),
    order: { sort, descending: query.order ? query.order === "desc" : descends },
    page: clamped(query.page, 1, LAST_PAGE),
    pageSize: clamped(query.page_size, PAGE_SIZE, LARGEST_PAGE_SIZE),
  };
}

const clamped = (text: string | undefined, fallback: number, largest: number): number =>
  text ? Math.min(Math.max(Number(text), 1), largest) : fallback;
