/** Cuts ranges into the sums and raw rows that count a selection's clicks. */
import type { LinkSet } from "../../links/list/link-set.repository.ts";
import { type BucketCounts, type CountRepository, MOST_RAW_ROWS } from "./counts.repository.ts";
import { appError } from "../../lib/errors.ts";
import { NO_CLICKS, plus, type Visitors } from "../../lib/visitors.ts";
import type { Calendar } from "../rollups/calendar.ts";
import type { Calendars } from "../rollups/calendar.repository.ts";
import { type Span, sequence } from "../rollups/time-buckets.ts";
import { type DateRange, spanOf, splitSpan, type SumParts, withMonths, type Edge } from "./range.ts";
import type { Selection, DetailConditions } from "./click-columns.repository.ts";
import type { ValueRepository } from "./values.repository.ts";
import { isKeyText, linkNotFound } from "../../links/link/code.ts";
import { COLUMN_DIMENSIONS, COLUMN_OF, parseAgentValue } from "../rollups/dimensions.ts";

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

  async function boundary(filter: ClickFilter, by: string | undefined, calendar: Calendar): Promise<number> {
    const isRaw = Object.keys(filter.values ?? {}).length > 0;
    if (!isRaw && by !== "hour_of_week") return 0;
    const detail = (await counts.oldestDetail()) ?? now();
    if (isRaw) return detail;
    const { hour } = await counts.oldest();
    return Math.min(detail, hour === null ? detail : calendar.hour.startOf(hour));
  }

  /** The first instant of the details that a response is made of, if clicks of the range lie before; else null. */
  const detailsFrom = async (
    { start, end }: DateRange,
    filter: ClickFilter,
    by?: string,
  ): Promise<number | null> => {
    const calendar = await calendars.current();
    const from = await boundary(filter, by, calendar);
    if (start >= from) return null;
    const isMissing = await counts.hasClicks({ from: start, to: Math.min(from, end + 1) }, calendar);
    return isMissing ? from : null;
  };

  return {
    detailsFrom,

    /** Clicks. Whole months only if `useMonths`. */
    days: async (
      { links, details, calendar }: Selection,
      range: DateRange,
      useMonths: boolean,
    ): Promise<SumParts> =>
      details === null ? cutDays(range, countFacts(links), calendar, useMonths) : rawOnly(range, calendar),

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
export const FILTER_VALUES = [...COLUMN_DIMENSIONS, "country", "city", "device", "browser", "os"] as const;
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
const AGENT_PARTS = ["device", "browser", "os"] as const;

/** @throws LinkNotFound for an unknown key */
export function createSelect({ calendars, counts, values }: Pick<Deps, "calendars" | "counts" | "values">) {
  async function linksOf({ key, links = null }: ClickFilter): Promise<LinkSet | null> {
    if (key === undefined) return links;
    const id = isKeyText(key) ? await counts.linkId(key) : null;
    if (id === null) throw linkNotFound(key);
    return { ids: [id] };
  }

  async function agentsWith(conditions: FilterValues): Promise<readonly number[] | null> {
    const parts = AGENT_PARTS.filter((part) => conditions[part] !== undefined);
    if (parts.length === 0) return null;
    const agents = await values.agents(conditions);
    return agents
      .filter(({ value }) => parts.every((part) => parseAgentValue(value)[part] === conditions[part]))
      .map(({ id }) => id);
  }

  async function detailsOf(conditions: FilterValues): Promise<DetailConditions | null> {
    if (Object.keys(conditions).length === 0) return null;
    const texts = FILTER_VALUES.flatMap((name) => {
      const text = conditions[name];
      return text === undefined || !isColumn(name) ? [] : [[COLUMNS[name], text] as const];
    });
    return { texts, agents: await agentsWith(conditions) };
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
