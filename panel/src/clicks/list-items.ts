/** The rows of a list of a report. */
import { type Dimension, nameOfValue } from "./dimensions.ts";
import { isRest, nameOfNone, othersName } from "./names.ts";
import type { List } from "./report-queries.ts";

export type Counted = {
  key: string;
  name: string;
  /** What a filter takes; absent for clicks of no value, or of too many. */
  value?: List["rows"][number];
  count: number;
  percentage: number;
  /** Of too many values, or of none: without a bar. */
  isRest?: boolean;
  /** The counts that are compared, the later one first. */
  compared?: [number, number];
  /** Of a site. */
  hosts?: { name: string; count: number }[] | undefined;
};

const MOST_HOSTS = 5;
/** The key of clicks of no value. */
export const NONE = "(none)";

const keyOf = ({ value, country, domain }: List["rows"][number]): string =>
  JSON.stringify([value, country, domain]);

/** Hosts of a site, unless it has only the one of its name. */
const hostsOf = ({ value, hosts = [] }: List["rows"][number]): Counted["hosts"] =>
  hosts.length === 1 && hosts[0]!.value === value
    ? []
    : hosts.slice(0, MOST_HOSTS).map((host) => ({ name: host.value, count: host.clicks }));

type ComparedLists = { before?: List | undefined; now?: List | undefined };

const clicksByRow = (list: List) => new Map(list.rows.map((row) => [keyOf(row), row.clicks]));

/**
 * With their part of all clicks. Those without a referrer are a row like others; what else no row has comes last,
 * without a bar.
 */
export function itemsOf(dimension: Dimension, list: List, { before, now }: ComparedLists = {}): Counted[] {
  const { rows, total, other, none = 0 } = list;
  const counts = before && now && [now, before].map(clicksByRow);
  const percentageOf = (count: number) => (total === 0 ? 0 : (count / total) * 100);
  const named = rows
    .filter(({ value }) => !isRest(value))
    .map((row) => ({
      key: dimension === "country" ? row.value : keyOf(row),
      name: nameOfValue(dimension, row),
      value: row,
      count: row.clicks,
      percentage: percentageOf(row.clicks),
      ...(dimension === "site" && { hosts: hostsOf(row) }),
      ...(counts && { compared: counts.map((known) => known.get(keyOf(row)) ?? 0) as [number, number] }),
    }));
  const without = (key: string, name: string, count: number, isOther: boolean): Counted[] =>
    count <= 0
      ? []
      : [{ key, name, count, percentage: percentageOf(count), ...(isOther && { isRest: true }) }];
  const isDirect = dimension === "site";
  const nameless = without(NONE, nameOfNone(dimension), none, !isDirect);
  const listed = isDirect ? [...named, ...nameless].sort((a, b) => b.count - a.count) : named;
  if (listed.length === 0) return [];
  const rest =
    other - none + rows.reduce((sum, { value, clicks }) => (isRest(value) ? sum + clicks : sum), 0);
  return [...listed, ...without("", othersName(), rest, true), ...(isDirect ? [] : nameless)];
}
