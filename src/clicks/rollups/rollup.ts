/**
 * Adds up one day (UTC) like the rollup tables, for rebuilds and tests of the flush. Beyond the bounds of dimensions.ts
 * the most frequent values stay (ties by text); in a flush the first ones do.
 */
import {
  byDimension,
  type Dimension,
  DIMENSION_NAMES,
  LINK_DAY_VALUES,
  OTHER,
  TOTAL_VALUES,
} from "./dimensions.ts";
import type { ClickSum } from "../../lib/visitors.ts";
import { addTo } from "./sums.ts";
import { HOUR_MS } from "./time-buckets.ts";

/** Values as in dimensions.ts, null or absent for none. */
export type DetailedClick = {
  linkId: number;
  atMs: number;
  isAutomated: boolean;
  values: Partial<Record<Dimension, string | null>>;
};

export type ValueCount = ClickSum & { dimension: Dimension; value: string };

export type DayRollup = {
  /** All links together. */
  clicks: number;
  automated: number;
  /** Link 0 is all links together. */
  days: (ClickSum & { linkId: number })[];
  hours: (ClickSum & { hour: number; linkId: number })[];
  dimDays: ({ linkId: number } & ValueCount)[];
  /** All links together. */
  dimHours: ({ hour: number } & ValueCount)[];
};

type Counts = Map<string, ClickSum>;
/** Per dimension, then per hour or link. */
type Tally = Record<Dimension, Map<number, Counts>>;

const newTally = (): Tally => byDimension(() => new Map());

export function createDayRollup(): { add(click: DetailedClick): void; finish(): DayRollup } {
  const all: ClickSum = { clicks: 0, automated: 0 };
  const links = new Map<number, ClickSum>();
  const hours = new Map<number, Map<number, ClickSum>>();
  const byLink = newTally();
  const byHour = newTally();

  return {
    add({ linkId, atMs, isAutomated, values }) {
      const hour = Math.floor(atMs / HOUR_MS);
      const automated = isAutomated ? 1 : 0;
      all.clicks++;
      all.automated += automated;
      addTo(links, linkId, 1, automated);
      addTo(within(hours, hour), linkId, 1, automated);
      for (const dimension of DIMENSION_NAMES) {
        const value = values[dimension];
        if (value === null || value === undefined) continue;
        addTo(within(byLink[dimension], linkId), value, 1, automated);
        addTo(within(byLink[dimension], 0), value, 1, automated);
        addTo(within(byHour[dimension], hour), value, 1, automated);
      }
    },
    finish: () => ({
      ...all,
      days: [...links, ...(all.clicks > 0 ? [[0, all] as const] : [])].map(([linkId, sum]) => ({
        linkId,
        ...sum,
      })),
      hours: [...hours].flatMap(([hour, counts]) => hourRows(hour, counts)),
      dimDays: DIMENSION_NAMES.flatMap((dimension) =>
        [...byLink[dimension]].flatMap(([linkId, counts]) =>
          bounded(counts, linkId === 0 ? TOTAL_VALUES : LINK_DAY_VALUES).map(([value, sum]) => ({
            linkId,
            dimension,
            value,
            ...sum,
          })),
        ),
      ),
      dimHours: DIMENSION_NAMES.flatMap((dimension) =>
        [...byHour[dimension]].flatMap(([hour, counts]) =>
          bounded(counts, TOTAL_VALUES).map(([value, sum]) => ({ hour, dimension, value, ...sum })),
        ),
      ),
    }),
  };
}

function hourRows(hour: number, counts: ReadonlyMap<number, ClickSum>): DayRollup["hours"] {
  const total: ClickSum = { clicks: 0, automated: 0 };
  const rows: DayRollup["hours"] = [];
  for (const [linkId, sum] of counts) {
    rows.push({ hour, linkId, ...sum });
    total.clicks += sum.clicks;
    total.automated += sum.automated;
  }
  rows.push({ hour, linkId: 0, ...total });
  return rows;
}

/** At most `bound` values besides OTHER. */
function bounded(counts: Counts, bound: number): [string, ClickSum][] {
  const entries = [...counts];
  const isOver = counts.size - (counts.has(OTHER) ? 1 : 0) > bound;
  if (!isOver) return entries;
  const named = entries.filter(([value]) => value !== OTHER);
  named.sort(([a, m], [b, n]) => n.clicks - m.clicks || (a < b ? -1 : 1));
  const rest = { ...(counts.get(OTHER) ?? { clicks: 0, automated: 0 }) };
  for (const [, sum] of named.splice(bound)) {
    rest.clicks += sum.clicks;
    rest.automated += sum.automated;
  }
  return [...named, [OTHER, rest]];
}

const within = <V>(outer: Map<number, Map<V, ClickSum>>, key: number): Map<V, ClickSum> =>
  outer.getOrInsertComputed(key, () => new Map());
