/** The state of a comparison of links, in the address of its page. */
import { MOST_COMPARED } from "./compared-links.ts";
import { readReportSearch, type ReportSearch } from "../range.ts";

const MOST_CHARACTERS = 400;

export type CompareSearch = Pick<ReportSearch, "range" | "from" | "to" | "by" | "visitors" | "vs"> & {
  /** Written by comparedKey. */
  link?: string[];
};

/** Reads the address, which anybody may have typed. */
export function readCompareSearch(search: Record<string, unknown>): CompareSearch {
  const { range, from, to, by, visitors, vs } = readReportSearch(search);
  const keys = [search["link"] ?? []]
    .flat()
    .filter(
      (key): key is string => typeof key === "string" && key.length <= MOST_CHARACTERS && /\/./.test(key),
    );
  const link = [...new Set(keys)].slice(0, MOST_COMPARED);
  const read = { range, from, to, by, visitors, vs, link: link.length === 0 ? undefined : link };
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined)) as CompareSearch;
}

/** Of a report's address: its time and visitors, without its conditions. */
export const timeIn = (search: ReportSearch): CompareSearch => readCompareSearch({ ...search, link: [] });
