/** The span of time that a report shows, which lives in the URL. */
export const RANGES = { "7d": 7, "30d": 30, "90d": 90, "1y": 365 } as const;
export type RangeName = keyof typeof RANGES;
export const VISITORS = ["human", "all"] as const;

export type ReportSearch = { range?: RangeName; visitors?: (typeof VISITORS)[number] };

/** Of an address, which anybody may have typed. */
export function readReportSearch(search: Record<string, unknown>): ReportSearch {
  const range = Object.keys(RANGES).find((name) => name === search["range"]) as RangeName | undefined;
  const visitors = VISITORS.find((name) => name === search["visitors"]);
  return { ...(range && { range }), ...(visitors && { visitors }) };
}

const DAY_MS = 86_400_000;

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** For the API: whole days in UTC, today included. `before`: the same span before. */
export function spanOf({ range = "30d", visitors = "human" }: ReportSearch, isBefore = false) {
  const days = RANGES[range];
  const end = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS - (isBefore ? days * DAY_MS : 0);
  return {
    start_date: dayOf(end - days * DAY_MS),
    end_date: new Date(end - 1).toISOString(),
    visitors,
  };
}
