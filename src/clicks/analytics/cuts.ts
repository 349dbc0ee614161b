/** Cuts ranges into the sums and raw rows that count a selection's clicks. */
import type { LinkSet } from "../../links/list/link-set.repository.ts";
import { type BucketCounts, type CountRepository, MOST_RAW_ROWS } from "./counts.repository.ts";
import { appError } from "../../lib/errors.ts";
import { NO_CLICKS, plus, type Visitors } from "../../lib/visitors.ts";
import type { Calendar } from "../rollups/calendar.ts";
import type { Calendars } from "../rollups/calendar.repository.ts";
import { firstDayOfMonth, monthOfDay, type Span, sequence } from "../rollups/time-buckets.ts";
import { type DateRange, spanOf, splitSpan, type SumParts, withMonths, type Edge } from "./range.ts";
import type { Selection, DetailConditions, SummedValues } from "./click-columns.repository.ts";
import { AGENT_PARTS, isValueOf } from "./agent-parts.ts";
import { hostsOfSite, siteOf } from "./sites.ts";
import { likeText, type ValueRepository } from "./values.repository.ts";
import { isKeyText, linkNotFound } from "../../links/link/code.ts";
import {
  COLUMN_DIMENSIONS,
  COLUMN_OF,
  type ColumnDimension,
  type Dimension,
  MONTHLY_OF_LINKS,
  parseAgentValue,
  parsePlaceValue,
} from "../rollups/dimensions.ts";

type Deps = {
  calendars: Calendars;
  counts: CountRepository;
  values: ValueRepository;
  now(): number;
  mostDetails: number;
};

export type Cuts = ReturnType<typeof createCuts>;

export function createCuts({ calendars, counts, values, now, mostDetails }: Deps) {
  const countFacts = (links: LinkSet | null): BucketFacts => ({
    day: async (day) => (await counts.inBuckets("day", links, [day])).get(day)?.clicks ?? 0,
    hours: async (hours) => totalsOf(await counts.inBuckets("hour", links, hours)),
    rawRows: (span) => counts.clicksInSmall(links, span),
  });
  const valueFacts = (links: LinkSet | null): BucketFacts => ({
    day: (day) => values.dayTotal(links, day),
    hours: links === null ? values.hourTotals : null,
    rawRows: (span) => counts.clicksInSmall(links, span),
  });

  /** Raw rows have the details. @throws BadRequest if the range has too many */
  async function rawOnly(range: DateRange, calendar: Calendar): Promise<SumParts> {
    const span = spanOf(range, "hour", now(), calendar);
    const oldest = (await counts.oldestDetail()) ?? span.to;
    const { day } = calendar;
    const days = sequence(day.of(Math.max(span.from, oldest)), day.of(span.to - 1) + 1);
    const ofDays = await counts.inBuckets("day", null, days);
    const { clicks } = ofDays.values().reduce(plus, NO_CLICKS);
    if (clicks > mostDetails && Number.isNaN(await counts.clicksInSmall(null, span, mostDetails))) {
      const most = mostDetails.toLocaleString("en");
      throw appError(
        "BadRequest",
        `The range has more than ${most} clicks with details, and a filter by a value reads each of them; shorten the range.`,
        { field: "start_date" },
      );
    }
    return joinParts([
      { spans: oldest < span.to ? [{ from: Math.max(span.from, oldest), to: span.to }] : [] },
    ]);
  }

  async function cutDays(
    range: DateRange,
    facts: BucketFacts,
    calendar: Calendar,
    useMonths: boolean,
  ): Promise<SumParts> {
    const span = spanOf(range, useMonths ? "month" : "day", now(), calendar);
    const { whole, edges } = splitSpan("day", span, calendar);
    const [oldest, settled] = await Promise.all([counts.oldest(), settleDays(edges, facts, calendar)]);
    const { months, days } = useMonths
      ? withMonths(whole)
      : { months: [], days: sequence(whole.from, whole.to) };
    return joinParts([{ months, days: days.filter((day) => day >= (oldest.day ?? day + 1)) }, settled]);
  }

  /**
   * The sums of values have the days; where they lack some of them, raw rows do as far as they are kept. Months that
   * began before the oldest day have what is no longer kept by day.
   */
  async function cutFiltered(
    range: DateRange,
    { links, calendar }: Selection,
    { dimension }: SummedValues,
    useMonths: boolean,
  ): Promise<SumParts> {
    const all = await cutDays(range, { ...valueFacts(links), hours: null }, calendar, false);
    const months = useMonths && dimension === MONTHLY_OF_LINKS ? await monthsBeforeDays(range, calendar) : [];
    const taken = new Set(months);
    const cut = { ...all, months, days: all.days.filter((day) => !taken.has(monthOfDay(day))) };
    const [folded, oldest] = await Promise.all([
      values.foldedDays(dimension, links, cut.days),
      counts.oldestDetail(),
    ]);
    const { day } = calendar;
    const raw = new Set(folded.filter((one) => oldest !== null && day.startOf(one) >= oldest));
    const ofDays = await counts.inBuckets("day", null, [...raw]);
    if (raw.size === 0 || ofDays.values().reduce(plus, NO_CLICKS).clicks > mostDetails) return cut;
    const spans = [...raw].map((one): Span => ({ from: day.startOf(one), to: day.startOf(one + 1) }));
    return { ...cut, days: cut.days.filter((one) => !raw.has(one)), spans: [...cut.spans, ...spans] };
  }

  /** Whole months of the range that began before the oldest day with sums. */
  async function monthsBeforeDays(range: DateRange, calendar: Calendar): Promise<number[]> {
    const { whole } = splitSpan("day", spanOf(range, "day", now(), calendar), calendar);
    const { day } = await counts.oldest();
    return withMonths(whole).months.filter((month) => day === null || firstDayOfMonth(month) < day);
  }

  return {
    detailsFrom: createDetailsFrom({ calendars, counts, values, now }),

    /** Clicks. Whole months only if `useMonths`. */
    async days(selection: Selection, range: DateRange, useMonths: boolean): Promise<SumParts> {
      const { links, details, calendar } = selection;
      if (details === null) return cutDays(range, countFacts(links), calendar, useMonths);
      if (details.sums !== null) return cutFiltered(range, selection, details.sums, useMonths);
      return rawOnly(range, calendar);
    },

    async hours({ links, details, calendar }: Selection, range: DateRange): Promise<SumParts> {
      if (details !== null) return rawOnly(range, calendar);
      const facts = countFacts(links);
      const { whole, edges } = splitSpan("hour", spanOf(range, "hour", now(), calendar), calendar);
      const [oldest, totals] = await Promise.all([
        counts.oldest(),
        facts.hours?.(edges.map((edge) => edge.bucket)) ?? new Map<number, number>(),
      ]);
      const hours = sequence(Math.max(whole.from, oldest.hour ?? whole.to), whole.to);
      return joinParts([{ hours }, await settleHours(edges, totals, { facts, calendar })]);
    },

    /** Clicks with details. */
    values: async ({ links, details, calendar }: Selection, range: DateRange): Promise<SumParts> =>
      details === null
        ? cutDays(range, valueFacts(links), calendar, links === null)
        : rawOnly(range, calendar),
  };
}

function createDetailsFrom({ calendars, counts, values, now }: Omit<Deps, "mostDetails">) {
  async function boundary(
    { values: conditions = {} }: ClickFilter,
    { by, isSummed, useMonths }: DetailsUse,
    { calendar, start }: { calendar: Calendar; start: number },
  ): Promise<number> {
    const isRaw = Object.keys(conditions).length > 0;
    if (!isRaw && by !== "hour_of_week") return 0;
    const detail = (await counts.oldestDetail()) ?? now();
    if (isRaw && isSummed && by !== "hour_of_week" && dimensionOf(conditions) !== null) {
      const oldest = await values.oldestDay();
      const ofDays = oldest === null ? detail : Math.min(detail, calendar.day.startOf(oldest));
      if (!useMonths || dimensionOf(conditions) !== MONTHLY_OF_LINKS) return ofDays;
      const { month } = calendar;
      const oldestMonth = await values.oldestMonth();
      if (oldestMonth === null) return ofDays;
      // A month that the range cuts has nothing but its days.
      const first = month.of(start);
      const whole = month.startOf(first) === start ? first : first + 1;
      return Math.min(ofDays, month.startOf(Math.max(whole, oldestMonth)));
    }
    if (isRaw) return detail;
    const { hour } = await counts.oldest();
    return Math.min(detail, hour === null ? detail : calendar.hour.startOf(hour));
  }

  /** The first instant of the details that a response is made of, if clicks of the range lie before; else null. */
  return async (
    { start, end }: DateRange,
    filter: ClickFilter,
    use: DetailsUse = {},
  ): Promise<number | null> => {
    const calendar = await calendars.current();
    const from = await boundary(filter, use, { calendar, start });
    if (start >= from) return null;
    const isMissing = await counts.hasClicks({ from: start, to: Math.min(from, end + 1) }, calendar);
    return isMissing ? from : null;
  };
}

/** What a response is made of: a report by something, or counts by day or month, link and what belongs to links. */
type DetailsUse = { by?: string | undefined; isSummed?: boolean; useMonths?: boolean };

const totalsOf = (counts: BucketCounts): ReadonlyMap<number, number> =>
  new Map([...counts].map(([bucket, { clicks }]) => [bucket, clicks]));

export type BucketFacts = {
  /** The clicks of a day in the rollups. */
  day(day: number): Promise<number>;
  /** Hours without clicks are missing. Null if hours are not kept. */
  hours: ((hours: readonly number[]) => Promise<ReadonlyMap<number, number>>) | null;
  /** NaN if there are too many to count. */
  rawRows(span: Span): Promise<number>;
};

const joinParts = (cuts: readonly Partial<SumParts>[]): SumParts => ({
  months: cuts.flatMap((cut) => cut.months ?? []),
  days: cuts.flatMap((cut) => cut.days ?? []),
  hours: cuts.flatMap((cut) => cut.hours ?? []),
  spans: cuts.flatMap((cut) => cut.spans ?? []),
});

/**
 * Settles the parts of days at the ends of a range.
 *
 * Finer rows are exact if they add up to their bucket: hours before retention, raw rows not reduced by retention,
 * sampling or a deleted link. Then they count the part. Otherwise the whole bucket counts, unless the range touches
 * only one instant of it, like one that ends at a date without time.
 */
export async function settleDays(
  edges: readonly Edge[],
  facts: BucketFacts,
  calendar: Calendar,
): Promise<SumParts> {
  return joinParts(await Promise.all(edges.map((edge) => settleDay(edge, facts, calendar))));
}

async function settleDay(
  { bucket, span }: Edge,
  facts: BucketFacts,
  calendar: Calendar,
): Promise<Partial<SumParts>> {
  const day: Span = bucketSpan(calendar.day, bucket);
  const [total, hours] = await Promise.all([
    facts.day(bucket),
    facts.hours?.(hoursOf(day, calendar)) ?? null,
  ]);
  if (total === 0) return {};
  if (hours !== null && sumOf(hours) === total) {
    const { whole, edges } = splitSpan("hour", span, calendar);
    const parts = await settleHours(edges, hours, { facts, calendar });
    return joinParts([{ hours: sequence(whole.from, whole.to) }, parts]);
  }
  if (await areRawRowsComplete(day, total, facts)) return { spans: [span] };
  return isMoreThanAnInstant(span) ? { days: [bucket] } : {};
}

/** Parts of hours with these totals. */
async function settleHours(
  edges: readonly Edge[],
  totals: ReadonlyMap<number, number>,
  { facts, calendar }: { facts: Pick<BucketFacts, "rawRows">; calendar: Calendar },
): Promise<SumParts> {
  const parts = edges.map(async ({ bucket, span }): Promise<Partial<SumParts>> => {
    const total = totals.get(bucket) ?? 0;
    if (total === 0) return {};
    if (await areRawRowsComplete(bucketSpan(calendar.hour, bucket), total, facts)) return { spans: [span] };
    return isMoreThanAnInstant(span) ? { hours: [bucket] } : {};
  });
  return joinParts(await Promise.all(parts));
}

const areRawRowsComplete = async (
  span: Span,
  total: number,
  facts: Pick<BucketFacts, "rawRows">,
): Promise<boolean> => total <= MOST_RAW_ROWS && (await facts.rawRows(span)) === total;

const bucketSpan = ({ startOf }: Calendar["day"], bucket: number): Span => ({
  from: startOf(bucket),
  to: startOf(bucket + 1),
});
const hoursOf = (day: Span, { hour }: Calendar): number[] => sequence(hour.of(day.from), hour.of(day.to));
const isMoreThanAnInstant = ({ from, to }: Span): boolean => to - from > 1;

const sumOf = (counts: ReadonlyMap<number, number>): number => {
  let sum = 0;
  for (const count of counts.values()) sum += count;
  return sum;
};

/** A click must have each. */
export type FilterValues = Readonly<Partial<Record<FilterValue, string>>>;
export const FILTER_VALUES = [
  ...COLUMN_DIMENSIONS,
  "site",
  "country",
  "city",
  "device",
  "browser",
  "os",
] as const;
export type FilterValue = (typeof FILTER_VALUES)[number];

/** All visitors by default. `key`: the clicks of that link. */
export type ClickFilter = {
  visitors?: Visitors;
  key?: string | undefined;
  links?: LinkSet | null;
  values?: FilterValues;
};

const COLUMNS = { ...COLUMN_OF, country: "country", city: "city" } as const;
const isColumn = (name: FilterValue): name is keyof typeof COLUMNS => name in COLUMNS;

/** In which values a condition looks. */
const LOOKS_IN = {
  ...(Object.fromEntries(COLUMN_DIMENSIONS.map((name) => [name, name])) as {
    [K in ColumnDimension]: K;
  }),
  site: "referrer",
  country: "place",
  city: "place",
  device: "agent",
  browser: "agent",
  os: "agent",
} as const satisfies Record<FilterValue, Dimension>;

const namesOf = (conditions: FilterValues): FilterValue[] =>
  FILTER_VALUES.filter((name) => conditions[name] !== undefined);

/** The dimension of all conditions, or null. */
function dimensionOf(conditions: FilterValues): Dimension | null {
  const dimensions = new Set(namesOf(conditions).map((name) => LOOKS_IN[name]));
  const [only] = dimensions;
  return dimensions.size === 1 ? only! : null;
}

function holds(conditions: FilterValues, value: string): boolean {
  return namesOf(conditions).every((name) => {
    const text = conditions[name]!;
    if (name === "site") return siteOf(value) === text;
    if (name === "country" || name === "city") return parsePlaceValue(value)[name] === text;
    return isValueOf(name, isColumn(name) ? value : parseAgentValue(value)[name], text);
  });
}

/** @throws LinkNotFound for an unknown key */
export function createSelect({ calendars, counts, values }: Pick<Deps, "calendars" | "counts" | "values">) {
  async function linksOf({ key, links = null }: ClickFilter): Promise<LinkSet | null> {
    if (key === undefined) return links;
    const id = isKeyText(key) ? await counts.linkId(key) : null;
    if (id === null) throw linkNotFound(key);
    return { ids: [id] };
  }

  /** Values that may hold. */
  function candidates(conditions: FilterValues, dimension: Dimension) {
    const { site, country, city } = conditions;
    if (dimension === "agent") return values.agents(conditions);
    if (dimension === "place" && country !== undefined)
      return values.among("place", { texts: [country], like: [`${likeText(country)}/%`] });
    if (dimension === "place") return values.among("place", { texts: [], like: [`%/${likeText(city!)}`] });
    const text = conditions[dimension as ColumnDimension];
    if (site === undefined || text !== undefined) return values.among(dimension, { texts: [text!] });
    const { hosts, starts } = hostsOfSite(site);
    const ends = hosts.map((host) => `%.${likeText(host)}`);
    const within = starts.flatMap((start) => [`${likeText(start)}%`, `%.${likeText(start)}%`]);
    return values.among("referrer", { texts: hosts, like: [...ends, ...within] });
  }

  async function valuesWith(conditions: FilterValues, dimension: Dimension) {
    const found = await candidates(conditions, dimension);
    return found.filter(({ value }) => holds(conditions, value));
  }

  const only = (names: readonly FilterValue[], conditions: FilterValues): FilterValues | null => {
    const some = names.filter((name) => conditions[name] !== undefined);
    return some.length === 0 ? null : Object.fromEntries(some.map((name) => [name, conditions[name]]));
  };

  async function detailsOf(conditions: FilterValues): Promise<DetailConditions | null> {
    if (namesOf(conditions).length === 0) return null;
    const texts: DetailConditions["texts"][number][] = namesOf(conditions).flatMap((name) =>
      isColumn(name) ? [[COLUMNS[name], conditions[name]!] as const] : [],
    );
    const dimension = dimensionOf(conditions);
    const summed = dimension && (await valuesWith(conditions, dimension));
    const ofAgent = only(AGENT_PARTS, conditions);
    const ofSite = only(["site"], conditions);
    const agents = ofAgent && (dimension === "agent" ? summed! : await valuesWith(ofAgent, "agent"));
    if (ofSite !== null) {
      const hosts = dimension === "referrer" ? summed! : await valuesWith(ofSite, "referrer");
      texts.push(["referrer_host", hosts.map(({ value }) => value)]);
    }
    return {
      texts,
      agents: agents && agents.map(({ id }) => id),
      sums: summed && dimension && { dimension, ids: summed.map(({ id }) => id) },
    };
  }

  return async (filter: ClickFilter): Promise<Selection> => {
    const [links, details, calendar] = await Promise.all([
      linksOf(filter),
      detailsOf(filter.values ?? {}),
      calendars.current(),
    ]);
    return { links, details, calendar, visitors: filter.visitors ?? "all" };
  };
}
