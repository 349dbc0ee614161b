/**
 * Adds up one day (UTC) like the rollup tables, for rebuilds and tests of the flush. Beyond the bounds of dimensions.ts
 * the most frequent values stay (ties by text); in a flush the first ones do.
 */
import { type Dimension, DIMENSIONS, LINK_DAY_VALUES, OTHER, TOTAL_VALUES } from "./dimensions.ts";
import { HOUR_MS } from "./time-buckets.ts";

/** Values as in dimensions.ts, null for none. */
export type DetailedClick = { linkId: number; atMs: number; values: Record<Dimension, string | null> };

export type ValueCount = { dimension: Dimension; value: string; clicks: number };

export type DayRollup = {
  /** All links together. */
  clicks: number;
  /** Link 0 is all links together. */
  days: { linkId: number; clicks: number }[];
  hours: { hour: number; linkId: number; clicks: number }[];
  dimDays: ({ linkId: number } & ValueCount)[];
  /** All links together. */
  dimHours: ({ hour: number } & ValueCount)[];
};

const NAMES = Object.keys(DIMENSIONS) as Dimension[];

type Counts = Map<string, number>;
/** Per dimension, then per hour or link. */
type Tally = Record<Dimension, Map<number, Counts>>;

const newTally = (): Tally => ({ referrer: new Map(), place: new Map(), agent: new Map() });

export function createDayRollup(): { add(click: DetailedClick): void; finish(): DayRollup } {
  let clicks = 0;
  const links = new Map<number, number>();
  const hours = new Map<number, Map<number, number>>();
  const byLink = newTally();
  const byHour = newTally();

  return {
    add({ linkId, atMs, values }) {
      const hour = Math.floor(atMs / HOUR_MS);
      clicks++;
      increase(links, linkId);
      increase(within(hours, hour), linkId);
      for (const dimension of NAMES) {
        const value = values[dimension];
        if (value === null) continue;
        increase(within(byLink[dimension], linkId), value);
        increase(within(byLink[dimension], 0), value);
        increase(within(byHour[dimension], hour), value);
      }
    },
    finish: () => ({
      clicks,
      days: [...links, ...(clicks > 0 ? [[0, clicks] as const] : [])].map(([linkId, count]) => ({
        linkId,
        clicks: count,
      })),
      hours: [...hours].flatMap(([hour, counts]) => hourRows(hour, counts)),
      dimDays: NAMES.flatMap((dimension) =>
        [...byLink[dimension]].flatMap(([linkId, counts]) =>
          bounded(counts, linkId === 0 ? TOTAL_VALUES : LINK_DAY_VALUES).map(([value, count]) => ({
            linkId,
            dimension,
            value,
            clicks: count,
          })),
        ),
      ),
      dimHours: NAMES.flatMap((dimension) =>
        [...byHour[dimension]].flatMap(([hour, counts]) =>
          bounded(counts, TOTAL_VALUES).map(([value, count]) => ({ hour, dimension, value, clicks: count })),
        ),
      ),
    }),
  };
}

function hourRows(hour: number, counts: ReadonlyMap<number, number>): DayRollup["hours"] {
  let total = 0;
  const rows: DayRollup["hours"] = [];
  for (const [linkId, clicks] of counts) {
    rows.push({ hour, linkId, clicks });
    total += clicks;
  }
  rows.push({ hour, linkId: 0, clicks: total });
  return rows;
}

/** At most `bound` values besides OTHER. */
function bounded(counts: Counts, bound: number): [string, number][] {
  const entries = [...counts];
  const isOver = counts.size - (counts.has(OTHER) ? 1 : 0) > bound;
  if (!isOver) return entries;
  const named = entries.filter(([value]) => value !== OTHER);
  named.sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  let rest = counts.get(OTHER) ?? 0;
  for (const [, count] of named.splice(bound)) rest += count;
  return [...named, [OTHER, rest]];
}

function within<V>(outer: Map<number, Map<V, number>>, key: number): Map<V, number> {
  let inner = outer.get(key);
  if (inner === undefined) {
    inner = new Map();
    outer.set(key, inner);
  }
  return inner;
}

const increase = <K>(counts: Map<K, number>, key: K): void =>
  void counts.set(key, (counts.get(key) ?? 0) + 1);
