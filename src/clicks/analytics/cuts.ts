/** Cuts ranges into the sums and raw rows that count a selection's clicks. */
import type { LinkSet } from "../../links/list/link-set.repository.ts";
import type { AgeRepository } from "./ages.repository.ts";
import type { BucketCounts, CountRepository } from "./counts.repository.ts";
import { type BucketFacts, joinParts, settleDays, settleHours } from "./edges.ts";
import { appError } from "../../lib/errors.ts";
import { NO_CLICKS, plus } from "../../lib/visitors.ts";
import { BUCKETS, HOUR_MS } from "../rollups/time-buckets.ts";
import { type DateRange, sequence, spanOf, splitSpan, type SumParts, withMonths } from "./range.ts";
import type { ClickFilter } from "./select.ts";
import type { Selection } from "./selection.ts";
import type { ValueRepository } from "./values.repository.ts";

type Deps = {
  ages: AgeRepository;
  counts: CountRepository;
  values: ValueRepository;
  now(): number;
  mostDetails: number;
};

export type Cuts = ReturnType<typeof createCuts>;

export function createCuts({ ages, counts, values, now, mostDetails }: Deps) {
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
  async function rawOnly(range: DateRange): Promise<SumParts> {
    const span = spanOf(range, "hour", now());
    const oldest = (await ages.oldestDetail()) ?? span.to;
    const { day } = BUCKETS;
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
    return joinParts([{ spans: [span] }]);
  }

  async function cutDays(range: DateRange, facts: BucketFacts, useMonths: boolean): Promise<SumParts> {
    const span = spanOf(range, useMonths ? "month" : "day", now());
    const { whole, edges } = splitSpan("day", span);
    const [oldest, settled] = await Promise.all([ages.oldest(), settleDays(edges, facts)]);
    const { months, days } = useMonths
      ? withMonths(whole)
      : { months: [], days: sequence(whole.from, whole.to) };
    return joinParts([{ months, days: days.filter((day) => day >= (oldest.day ?? day + 1)) }, settled]);
  }

  async function boundary(asked: ClickFilter, by: string | undefined): Promise<number> {
    const isRaw = Object.keys(asked.values ?? {}).length > 0;
    if (!isRaw && by !== "hour_of_week") return 0;
    const detail = (await ages.oldestDetail()) ?? now();
    if (isRaw) return detail;
    const { hour } = await ages.oldest();
    return Math.min(detail, hour === null ? detail : hour * HOUR_MS);
  }

  /** The first instant of the details that an answer is made of, if clicks of the range lie before; else null. */
  const detailsFrom = async (
    { start, end }: DateRange,
    asked: ClickFilter,
    by?: string,
  ): Promise<number | null> => {
    const from = await boundary(asked, by);
    if (start >= from) return null;
    const isMissing = await ages.hasClicks({ from: start, to: Math.min(from, end + 1) });
    return isMissing ? from : null;
  };

  return {
    detailsFrom,

    /** Clicks. Whole months only if `useMonths`. */
    days: async ({ links, details }: Selection, range: DateRange, useMonths: boolean): Promise<SumParts> =>
      details === null ? cutDays(range, countFacts(links), useMonths) : rawOnly(range),

    async hours({ links, details }: Selection, range: DateRange): Promise<SumParts> {
      if (details !== null) return rawOnly(range);
      const facts = countFacts(links);
      const { whole, edges } = splitSpan("hour", spanOf(range, "hour", now()));
      const [oldest, totals] = await Promise.all([
        ages.oldest(),
        facts.hours?.(edges.map((edge) => edge.bucket)) ?? new Map<number, number>(),
      ]);
      const hours = sequence(Math.max(whole.from, oldest.hour ?? whole.to), whole.to);
      return joinParts([{ hours }, await settleHours(edges, totals, facts)]);
    },

    /** Clicks with details. */
    values: async ({ links, details }: Selection, range: DateRange): Promise<SumParts> =>
      details === null ? cutDays(range, valueFacts(links), links === null) : rawOnly(range),
  };
}

const totalsOf = (counts: BucketCounts): ReadonlyMap<number, number> =>
  new Map([...counts].map(([bucket, { clicks }]) => [bucket, clicks]));
