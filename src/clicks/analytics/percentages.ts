import { type ClickSum, countOf } from "../../lib/visitors.ts";
import type { ValueShare } from "./values.repository.ts";
import { OTHER, parseAgentValue, parsePlaceValue } from "../rollups/dimensions.ts";

export type NamedShare = { name: string; clicks: number; percentage: number };

export type DeviceShares = ReturnType<typeof deviceShares>;

/** Most frequent first. The rest counts as OTHER. */
export const MOST_PROFILES = 2_000;

/** Places whose clicks are added up by country, most frequent first. */
export const MOST_PLACES = 2_000;

/** With two decimals; 0 if the whole is 0. */
export const percentage = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100;

/** Merges repeated values, such as OTHER. */
export function sharesOf(
  { values, visitors }: Pick<ValueShare, "values" | "visitors">,
  whole: number,
): { value: string; clicks: number; percentage: number; both: ClickSum }[] {
  const sums = new Map<string, ClickSum>();
  for (const { value, clicks, automated } of values) {
    const had = sums.get(value) ?? { clicks: 0, automated: 0 };
    sums.set(value, { clicks: had.clicks + clicks, automated: had.automated + automated });
  }
  return [...sums].map(([value, both]) => {
    const clicks = countOf(both, visitors);
    return { value, clicks, percentage: percentage(clicks, whole), both };
  });
}

/** Places added up by country, most clicks first. */
export function byCountry(share: ValueShare): ValueShare {
  const countries = share.values.map((sum) => ({ ...sum, value: parsePlaceValue(sum.value).country }));
  const values = sharesOf({ ...share, values: countries }, 0)
    .sort((a, b) => b.clicks - a.clicks || (a.value < b.value ? -1 : 1))
    .map(({ value, both }) => ({ value, ...both }));
  return { ...share, values };
}

export function deviceShares({ values, total, visitors }: ValueShare, limit: number) {
  const browsers = new Map<string, number>();
  const systems = new Map<string, number>();
  const devices = new Map<string, number>();
  let bots = 0;
  let left = total;
  const add = (value: string, clicks: number) => {
    const { browser, os, device, isBot } = parseAgentValue(value);
    increase(browsers, browser, clicks);
    increase(systems, os, clicks);
    increase(devices, device, clicks);
    if (isBot) bots += clicks;
    left -= clicks;
  };
  for (const { value, ...both } of values) add(value, countOf(both, visitors));
  if (left > 0) add(OTHER, left);
  const most = (counts: ReadonlyMap<string, number>): NamedShare[] =>
    [...counts]
      .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
      .slice(0, limit)
      .map(([name, clicks]) => ({ name, clicks, percentage: percentage(clicks, total) }));
  return {
    browsers: most(browsers),
    systems: most(systems),
    devices: most(devices),
    botPercentage: percentage(bots, total),
    /** Clicks with a user agent. */
    total,
  };
}

const increase = (counts: Map<string, number>, key: string, by: number): void =>
  void counts.set(key, (counts.get(key) ?? 0) + by);
