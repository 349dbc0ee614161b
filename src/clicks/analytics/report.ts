/** Clicks by any dimension, link, tag, domain, account or hour of the week. */
import { type ClickSum, countOf, NO_CLICKS, plus } from "../../lib/visitors.ts";
import { ADMIN_NAME } from "../../lib/owner.ts";
import type { CountRepository } from "./counts.repository.ts";
import { type Cuts, FILTER_VALUES, type FilterValue } from "./cuts.ts";
import type { DateRange } from "./range.ts";
import type { RankingRepository } from "./ranking.repository.ts";
import type { Selection } from "./click-columns.repository.ts";
import { areSummedInSets, type SetDaysRepository } from "./set-days.repository.ts";
import { siteOf } from "./sites.ts";
import {
  COLUMN_DIMENSIONS,
  type ColumnDimension,
  type Dimension,
  OTHER,
  parseAgentValue,
  parsePlaceValue,
} from "../rollups/dimensions.ts";
import type { ValueParts, ValueRepository, ValueShare } from "./values.repository.ts";
import { HOUR_MS } from "../rollups/time-buckets.ts";

/** Counted from the details of clicks. */
export const REPORTS = [...FILTER_VALUES, "link", "tag", "domain", "owner", "hour_of_week"] as const;
export type ReportBy = (typeof REPORTS)[number];

type ReportRow = {
  value: string;
  /** Of a link; null without one. */
  title?: string | null;
  clicks: number;
  both: ClickSum;
  /** Of a site: its hosts. */
  hosts?: { value: string; clicks: number; both: ClickSum }[];
  /** Unique visitors by link and day. */
  unique?: number;
};

/** Most clicks first. `value`: of links their key, of domains the prefix of their keys, of cities with the country. */
export type Report = {
  rows: ReportRow[];
  /** Clicks that were reported on. */
  total: number;
  /** Those of no row. */
  other: number;
  /** Those of `other` without a value, such as direct ones by site. */
  none?: number;
};

type ReportQuery = { range: DateRange; limit: number; selection: Selection };
type Parts = {
  counts: CountRepository;
  values: ValueRepository;
  ranking: RankingRepository;
  cuts: Cuts;
  setDays: SetDaysRepository;
};

/** Where the values of a report are, and the text of one; null: none. */
const SHARES: Record<FilterValue, { of: Dimension; text(value: string): string | null }> = {
  ...(Object.fromEntries(
    COLUMN_DIMENSIONS.map((of) => [of, { of, text: (value: string) => value }]),
  ) as Record<ColumnDimension, { of: ColumnDimension; text(value: string): string }>),
  site: { of: "referrer", text: siteOf },
  country: { of: "place", text: (value) => parsePlaceValue(value).country },
  city: { of: "place", text: (value) => (parsePlaceValue(value).city === null ? null : value) },
  device: { of: "agent", text: (value) => parseAgentValue(value).device },
  browser: { of: "agent", text: (value) => parseAgentValue(value).browser },
  os: { of: "agent", text: (value) => parseAgentValue(value).os },
};
/** Values of a dimension from which a report is made. */
const MOST_VALUES = 2_000;

export const isDetail = (by: ReportBy): by is FilterValue => by in SHARES;

export function report(parts: Parts, by: ReportBy, query: ReportQuery): Promise<Report> {
  if (isDetail(by)) return reportsByDetail(parts, [by], query).then((found) => found[by]);
  return by === "hour_of_week" ? byHour(parts, query) : byLinks(parts, by, query);
}

/** Several reports at once, which read each dimension once. */
export async function reportsByDetail<By extends FilterValue>(
  { values, cuts, setDays }: Pick<Parts, "values" | "cuts" | "setDays">,
  list: readonly By[],
  { range, limit, selection }: ReportQuery,
): Promise<Record<By, Report>> {
  const whole = await cuts.values(selection, range);
  const kept = selection.details === null ? await setDays.of(selection.links, whole.days) : null;
  const isKept = new Set(kept?.days);
  const some: ValueParts =
    kept === null ? whole : { ...whole, days: whole.days.filter((day) => !isKept.has(day)), kept };
  const cutOf = (dimension: Dimension) => (areSummedInSets(dimension) ? some : whole);
  const dimensions = [...new Set(list.map((by) => SHARES[by].of))];
  const [total, ...shares] = await Promise.all([
    values.total("source", selection, some),
    ...dimensions.map((of) => values.share(of, selection, cutOf(of), MOST_VALUES)),
  ]);
  const found = list.map((by) => [
    by,
    detailReport(by, shares[dimensions.indexOf(SHARES[by].of)]!, limit, total),
  ]);
  return Object.fromEntries(found) as Record<By, Report>;
}

function detailReport(by: FilterValue, share: ValueShare, limit: number, total: number): Report {
  const { text } = SHARES[by];
  const named = share.values.flatMap((sum) => {
    const value = text(sum.value);
    return value === null || value === OTHER ? [] : [{ ...sum, value }];
  });
  const nameless = { ...share, values: share.values.filter(({ value }) => text(value) === null) };
  const valued = share.total - sharesOf(nameless, 0).reduce((sum, { clicks }) => sum + clicks, 0);
  const found = { ...reportOf({ ...share, values: named }, limit, total), none: Math.max(0, total - valued) };
  return by === "site" ? withHosts(found, share) : found;
}

/** Hosts of a site. */
const MOST_HOSTS = 20;

function withHosts(found: Report, { values, visitors }: ValueShare): Report {
  const sites = Map.groupBy(values, ({ value }) => siteOf(value));
  const rows = found.rows.map((row) => {
    const share = { values: sites.get(row.value) ?? [], visitors };
    return { ...row, hosts: reportOf(share, MOST_HOSTS, 0).rows };
  });
  return { ...found, rows };
}

async function byLinks(
  { counts, ranking, cuts }: Parts,
  by: "link" | "tag" | "domain" | "owner",
  { range, limit, selection }: ReportQuery,
): Promise<Report> {
  const cut = await cuts.days(selection, range, true);
  const total = counts.total(cut, selection).then((sum) => countOf(sum, selection.visitors));
  if (by === "tag") {
    const tags = await ranking.tags(cut, limit, selection);
    const { visitors } = selection;
    const found = reportOf({ values: tags.ranked, visitors }, limit, await total);
    const other =
      tags.rest === null ? found.total - countOf(tags.covered, visitors) : countOf(tags.rest, visitors);
    return { ...found, other };
  }
  const ranked = {
    link: ranking.links,
    domain: ranking.domains,
    owner: (...given: Parameters<typeof ranking.links>) => ranking.owners(...given, ADMIN_NAME),
  }[by];
  const values = await ranked(cut, limit, selection);
  return reportOf({ values, visitors: selection.visitors }, limit, await total);
}

const WEEK_HOURS = 7 * 24;
const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
/** January 1, 1970 was a Thursday. */
const FIRST_HOUR = 3 * 24;

/** `Mon 13:00`, from hours since 1970 on the zone's clock. */
function hourOfWeek(hour: number): string {
  const at = (hour + FIRST_HOUR) % WEEK_HOURS;
  return `${DAYS[Math.floor(at / 24)]} ${String(at % 24).padStart(2, "0")}:00`;
}

/** From the sums of hours; before them from details. */
async function byHour({ counts, cuts }: Parts, { range, limit, selection }: ReportQuery): Promise<Report> {
  const { calendar, links } = selection;
  const { hour } = calendar;
  const [{ hour: oldest }, detail] = await Promise.all([counts.oldest(), counts.oldestDetail()]);
  const from = oldest === null ? range.end + 1 : hour.startOf(oldest);
  const older =
    selection.details === null && detail !== null && range.start < from
      ? { from: Math.max(range.start, detail), to: Math.min(from, range.end + 1) }
      : null;
  const cut = await cuts.hours(selection, range);
  const runs: { offset: number; hours: number[] }[] = [];
  // Hours at the ends of the range stand behind the others.
  for (const number of cut.hours.toSorted((a, b) => a - b)) {
    const offset = calendar.offsetAt(hour.startOf(number));
    const run = runs.at(-1);
    if (run?.offset === offset && run.hours.at(-1) === number - 1) run.hours.push(number);
    else runs.push({ offset, hours: [number] });
  }
  const found = await Promise.all([
    ...runs.map(({ offset, hours }) => {
      // A week more, because the remainder of a negative number is negative.
      const ahead = Math.floor(offset / HOUR_MS) + WEEK_HOURS;
      return counts.hoursWithin(links, hours, { ahead, cycle: WEEK_HOURS });
    }),
    ...[...cut.spans, ...(older === null ? [] : [older])]
      .flatMap((span) => calendar.partsOf(span))
      .map(async ({ offset, span }) => {
        const query = { ms: HOUR_MS, offset, cycleMs: WEEK_HOURS * HOUR_MS };
        const sums = await counts.clicksEvery(query, selection, span);
        return new Map([...sums].map(([ms, sum]) => [ms / HOUR_MS, sum]));
      }),
  ]);
  const values = found.flatMap((sums) =>
    [...sums].map(([bucket, sum]) => ({ value: hourOfWeek(bucket), ...sum })),
  );
  const share = { values, visitors: selection.visitors };
  return reportOf(share, limit, countOf(values.reduce(plus, NO_CLICKS), selection.visitors));
}

/** Adds up repeated values. */
function reportOf(share: Pick<ValueShare, "values" | "visitors">, limit: number, total: number): Report {
  const rows = sharesOf(share, 0)
    .filter(({ clicks }) => clicks > 0)
    .sort((a, b) => b.clicks - a.clicks || (a.value < b.value ? -1 : 1))
    .slice(0, limit)
    .map(({ value, clicks, both }) => ({ value, clicks, both }));
  return { rows, total, other: total - rows.reduce((sum, { clicks }) => sum + clicks, 0) };
}

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
