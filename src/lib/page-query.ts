import { z } from "zod";

const PAGE_SIZE = 20;
const LARGEST_PAGE_SIZE = 100;
/** Keeps page × page size exact. */
const LAST_PAGE = 1_000_000_000;

const whole = (meaning: string, schema: Record<string, unknown>) =>
  z
    .string()
    .regex(/^(?:[+-]?\d+)?$/, "must be a whole number")
    .optional()
    .describe(meaning)
    .meta({ type: "integer", pattern: undefined, ...schema });

/** Fields for `z.object`, which clamp numbers to their bounds. */
export const pageQuery = {
  page: whole(`clamped to 1 to ${LAST_PAGE}`, { default: 1 }),
  page_size: whole(`clamped to 1 to ${LARGEST_PAGE_SIZE}`, { default: PAGE_SIZE }),
};

type PageQuery = { page?: string | undefined; page_size?: string | undefined };

/** `page` counts from 1. */
export type PageAt = { page: number; pageSize: number };

export const rowsOfPage = ({ page, pageSize }: PageAt) => ({
  limit: pageSize,
  offset: (page - 1) * pageSize,
});

export const pageOf = (query: PageQuery): PageAt => ({
  page: clamped(query.page, 1, LAST_PAGE),
  pageSize: clamped(query.page_size, PAGE_SIZE, LARGEST_PAGE_SIZE),
});

const clamped = (text: string | undefined, fallback: number, largest: number): number =>
  text ? Math.min(Math.max(Number(text), 1), largest) : fallback;
