import type { ValueShare } from "./values.repository.ts";
import { parseAgentValue, OTHER } from "../rollups/dimensions.ts";

export type NamedShare = { name: string; clicks: number; percentage: number };

export type DeviceShares = {
  browsers: NamedShare[];
  systems: NamedShare[];
  devices: NamedShare[];
  /** Of clicks with a user agent. */
  botPercentage: number;
  /** Clicks with a user agent. */
  total: number;
};

/** Most frequent first. The rest counts as OTHER. */
export const MOST_PROFILES = 2_000;

/** With two decimals; 0 of nothing. */
export const percentage = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100;

/** Merges repeated values, such as OTHER. */
export function sharesOf(
  { values }: Pick<ValueShare, "values">,
  whole: number,
): { value: string; clicks: number; percentage: number }[] {
  const counts = new Map<string, number>();
  for (const { value, clicks } of values) counts.set(value, (counts.get(value) ?? 0) + clicks);
  return [...counts].map(([value, clicks]) => ({ value, clicks, percentage: percentage(clicks, whole) }));
}

export function deviceShares({ values, total }: ValueShare, limit: number): DeviceShares {
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
  for (const { value, clicks } of values) add(value, clicks);
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
    total,
  };
}

const increase = (counts: Map<string, number>, key: string, by: number): void =>
  void counts.set(key, (counts.get(key) ?? 0) + by);
