/** Chooses clicks of the live view by the filter of the reports. */
import { type ClickSum, countOf, type Visitors } from "../lib/visitors.ts";
import type { LinkSet } from "../links/list/link-set.repository.ts";
import type { AskedValues } from "./analytics/select.ts";

/** What is known of a click before it is flushed; places are not. */
export type LiveValues = Omit<Record<keyof AskedValues, string | null>, "country" | "city">;

export type LiveClick = {
  linkId: number;
  atMs: number;
  isAutomated: boolean;
  source: string | null;
  /** Null without details. */
  values: LiveValues | null;
};

/** Clicks in a second, and the newest of them. */
export type LiveSecond = { atMs: number; rate: ClickSum; newest: readonly LiveClick[] };

export type LiveFilter = (second: LiveSecond) => Promise<LiveSecond & { shown: number }>;

type Wanted = {
  /** Those of up to 1,000 links that are counted; null: all. */
  choose(among: readonly number[]): Promise<LinkSet | null>;
  values: Partial<LiveValues>;
  visitors: Visitors;
};

/** `shown`: the rate of the visitors. Where more clicks came than are known, their share among the known ones counts. */
export const createLiveFilter =
  ({ choose, values, visitors }: Wanted): LiveFilter =>
  async ({ atMs, rate, newest }) => {
    const set = newest.length === 0 ? null : await choose([...new Set(newest.map(({ linkId }) => linkId))]);
    const ids = set !== null && "ids" in set ? new Set(set.ids) : null;
    const wanted = Object.entries(values) as [keyof LiveValues, string][];
    const kept = newest.filter(
      (click) =>
        (ids?.has(click.linkId) ?? true) && wanted.every(([name, text]) => click.values?.[name] === text),
    );
    const shareOf = (isAutomated: boolean): number => {
      const of = (clicks: readonly LiveClick[]) =>
        clicks.filter((click) => click.isAutomated === isAutomated);
      return of(newest).length === 0 ? 0 : of(kept).length / of(newest).length;
    };
    const automated = rate.automated * shareOf(true);
    const own = { clicks: (rate.clicks - rate.automated) * shareOf(false) + automated, automated };
    return {
      atMs,
      rate: own,
      shown: countOf(own, visitors),
      newest: kept.filter(
        ({ isAutomated }) => visitors === "all" || (visitors === "automated") === isAutomated,
      ),
    };
  };
