/** What the page of reports makes a new one of, in its address. */
import { type Filter, filterIn, readFilter } from "../clicks/filter.ts";

export type NewReportSearch = Filter & { make?: true; days?: number; from?: string; to?: string };

const DAY_FORM = /^\d{4}-\d\d-\d\d$/;
const MOST_DAYS = 1_100;

export function readNewReport(search: Record<string, unknown>): NewReportSearch {
  if (search["make"] !== true) return {};
  const [days, from, to] = [search["days"], search["from"], search["to"]];
  const isDay = (text: unknown): text is string => typeof text === "string" && DAY_FORM.test(text);
  return {
    make: true,
    ...(isDay(from) && isDay(to) && { from, to }),
    ...(typeof days === "number" && Number.isInteger(days) && days > 0 && days <= MOST_DAYS && { days }),
    ...readFilter(search),
  };
}

export const filterOfNew = (search: NewReportSearch): Filter => filterIn(search);
