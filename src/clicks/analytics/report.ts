/** Clicks by any dimension, link, tag, domain, account or hour of the week. */
import type { ClickSum } from "../../lib/visitors.ts";
import { countOf, NO_CLICKS, plus } from "../../lib/visitors.ts";
import { ADMIN_NAME } from "../../lib/owner.ts";
import type { AgeRepository } from "./ages.repository.ts";
import type { CountRepository } from "./counts.repository.ts";
import type { Cuts } from "./cuts.ts";
import { sharesOf } from "./percentages.ts";
import type { DateRange } from "./range.ts";
import type { RankingRepository } from "./ranking.repository.ts";
import { ASKED_VALUES, type AskedValue } from "./select.ts";
import type { Selection } from "./selection.ts";
import {
  COLUMN_DIMENSIONS,
  type ColumnDimension,
  type Dimension,
  OTHER,
  parseAgentValue,
  parsePlaceValue,
} from "../rollups/dimensions.ts";
import type { ValueRepository, ValueShare } from "./values.repository.ts";
import { HOUR_MS } from "../rollups/time-buckets.ts";

/** Answered from the details of clicks. */
export const REPORTS = [...ASKED_VALUES, "link", "tag", "domain", "owner", "hour_of_week"] as const;
export type ReportBy = (typeof REPORTS)[number];

/** Most clicks first. `value`: of links their key, of domains the prefix of their keys, of cities with the country. */
export type Report = {
  rows: { value: string; clicks: number; both: ClickSum }[];
  /** Clicks that were reported on. */
  total: number;
  /** Those of no row. */
  other: number;
};

type Wanted = { range: DateRange; limit: number; selection: Selection };
type Parts = {
  ages: AgeRepository;
  counts: CountRepository;
  values: ValueRepository;
  ranking: RankingRepository;
  cuts: Cuts;
};

/** Where the values of a report are, and the text of one; null: none. */
const SHARES: Record<AskedValue, { of: Dimension; text(value: string): string | null }> = {
  ...(Object.fromEntries(
    COLUMN_DIMENSIONS.map((of) => [of, { of, text: (value: string) => value }]),
  ) as Record<ColumnDimension, { of: ColumnDimension; text(value: string): string }>),
  country: { of: "place", text: (value) => parsePlaceValue(value).country },
  city: { of: "place", text: (value) => (parsePlaceValue(value).city === null ? null : value) },
  device: { of: "agent", text: (value) => parseAgentValue(value).device },
  browser: { of: "agent", text: (value) => parseAgentValue(value).browser },
  os: { of: "agent", text: (value) => parseAgentValue(value).os },
};
/** Of each dimension, from which a report is made. */
const MOST_VALUES = 2_000;

export const isDetail = (by: ReportBy): by is AskedValue => by in SHARES;

export function report(parts: Parts, by: ReportBy, wanted: Wanted): Promise<Report> {
  if (isDetail(by)) return byDetail(parts, by, wanted);
  return by === "hour_of_week" ? byHour(parts, wanted) : byLinks(parts, by, wanted);
}

async function byDetail({ values, cuts }: Parts, by: AskedValue, wanted: Wanted): Promise<Report> {
  const { range, limit, selection } = wanted;
  const { of, text } = SHARES[by];
  const cut = await cuts.values(selection, range);
  const [share, total] = await Promise.all([
    values.share(of, selection, cut, MOST_VALUES),
    values.total("source", selection, cut),
  ]);
  const named = share.values.flatMap((sum) => {
    const value = text(sum.value);
    return value === null || value === OTHER ? [] : [{ ...sum, value }];
  });
  return reportOf({ ...share, values: named }, limit, total);
}

async function byLinks(
  { counts, ranking, cuts }: Parts,
  by: "link" | "tag" | "domain" | "owner",
  { range, limit, selection }: Wanted,
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
    owner: (...asked: Parameters<typeof ranking.links>) => ranking.owners(...asked, ADMIN_NAME),
  }[by];
  const values = await ranked(cut, limit, selection);
  return reportOf({ values, visitors: selection.visitors }, limit, await total);
}

const WEEK_HOURS = 7 * 24;
const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
/** January 1, 1970 was a Thursday. */
const FIRST_HOUR = 3 * 24;

/** `Mon 13:00`, in UTC. */
function hourOfWeek(hour: number): string {
  const at = (hour + FIRST_HOUR) % WEEK_HOURS;
  return `${DAYS[Math.floor(at / 24)]} ${String(at % 24).padStart(2, "0")}:00`;
}

/** From the sums of hours; before them from details. */
async function byHour({ ages, counts, cuts }: Parts, { range, limit, selection }: Wanted): Promise<Report> {
  const oldest = (await ages.oldest()).hour;
  const from = oldest === null ? range.end + 1 : oldest * HOUR_MS;
  const older =
    selection.details === null && range.start < from
      ? { from: range.start, to: Math.min(from, range.end + 1) }
      : null;
  const cut = await cuts.hours(selection, range);
  const found = await Promise.all([
    counts.hoursWithin(selection.links, cut.hours, WEEK_HOURS),
    ...[...cut.spans, ...(older === null ? [] : [older])].map((span) =>
      counts.clicksEvery(HOUR_MS, selection, span, WEEK_HOURS * HOUR_MS),
    ),
  ]);
  const values = found.flatMap((sums, at) =>
    [...sums].map(([bucket, sum]) => ({ value: hourOfWeek(at === 0 ? bucket : bucket / HOUR_MS), ...sum })),
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
