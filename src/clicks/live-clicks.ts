/** Chooses clicks of the live view by the filter of the reports. */
import { type ClickSum, countOf, type Visitors } from "../lib/visitors.ts";
import type { LinkSet } from "../links/list/link-set.repository.ts";
import { isValueOf } from "./analytics/agent-parts.ts";
import type { FilterValues } from "./analytics/cuts.ts";
import { siteOf } from "./analytics/sites.ts";
import type { Clicks } from "./clicks.ts";
import { createDetailsParser } from "./details/details.ts";
import { parseAgentValue } from "./rollups/dimensions.ts";

/** What is known of a click before it is flushed; places are not. */
type LiveValues = Omit<Record<keyof FilterValues, string | null>, "country" | "city">;

export type LiveClick = {
  linkId: number;
  atMs: number;
  isAutomated: boolean;
  source: string | null;
  /** The values of the click, or null if it has no details. */
  values: LiveValues | null;
};

/** Clicks in a second, and the newest of them. */
export type LiveSecond = { atMs: number; rate: ClickSum; newest: readonly LiveClick[] };

export type LiveFilter = (second: LiveSecond) => Promise<LiveSecond & { shown: number }>;

type FilterOptions = {
  /** Those of up to 1,000 links that are counted; null: all. */
  choose(among: readonly number[]): Promise<LinkSet | null>;
  values: Partial<LiveValues>;
  visitors: Visitors;
};

/** `shown`: the rate of the visitors. Where more clicks came than are known, their share among the known ones counts. */
export const createLiveFilter =
  ({ choose, values, visitors }: FilterOptions): LiveFilter =>
  async ({ atMs, rate, newest }) => {
    const set = newest.length === 0 ? null : await choose([...new Set(newest.map(({ linkId }) => linkId))]);
    const ids = set !== null && "ids" in set ? new Set(set.ids) : null;
    const conditions = Object.entries(values) as [keyof LiveValues, string][];
    const kept = newest.filter(
      (click) =>
        (ids?.has(click.linkId) ?? true) &&
        conditions.every(([name, text]) => isValueOf(name, click.values?.[name] ?? null, text)),
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

export type WorkerLiveStats = {
  /** A UUID of the process. */
  worker: string;
  /** Since its start; automated ones are among them. */
  clicks: number;
  automated: number;
  latest: LiveClick[];
};

/** Clicks of a second that are read, of each process and of all, for filters. */
const MOST_READ = 200;

/** The part of this process. */
export function createWorkerLiveStats(
  clicks: Pick<Clicks, "stats" | "latest">,
): (sinceMs: number) => WorkerLiveStats {
  const worker = crypto.randomUUID();
  const { describe } = createDetailsParser();
  return (sinceMs) => {
    const { accepted, replayed, automated } = clicks.stats();
    const latest = clicks.latest(sinceMs, MOST_READ).map(({ linkId, atMs, isAutomated, details }) => {
      const known = details && describe(details);
      return {
        linkId,
        atMs,
        isAutomated,
        source: known && known.source,
        values: known && {
          ...known.columns,
          site: known.columns.referrer && siteOf(known.columns.referrer),
          ...partsOf(known.agent?.profile),
        },
      };
    });
    return { worker, clicks: accepted - replayed, automated: automated.accepted, latest };
  };
}

function partsOf(profile: string | undefined) {
  if (profile === undefined) return { browser: null, os: null, device: null };
  const { browser, os, device } = parseAgentValue(profile);
  return { browser, os, device };
}
