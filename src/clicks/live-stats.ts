import type { Clicks } from "./clicks.ts";
import { createDetailsParser } from "./details/details.ts";
import type { LiveClick } from "./live-filter.ts";
import { parseAgentValue } from "./rollups/dimensions.ts";

export type WorkerLiveStats = {
  /** A UUID of the process. */
  worker: string;
  /** Since its start; automated ones are among them. */
  clicks: number;
  automated: number;
  latest: LiveClick[];
};

/** Of a second, of each process and of all, for filters. */
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
        values: known && { ...known.columns, ...partsOf(known.agent?.profile) },
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
