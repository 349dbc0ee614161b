/** What the lists of a report compare. */
import { type Span, startOfBucket, type Unit } from "../buckets.ts";
import { endsOpen } from "../chart/series.ts";
import { earlierOf, type ReportSearch } from "../range.ts";
import type { Report } from "../use-report.ts";

export type ListComparison = {
  /** The spans whose counts are compared; undefined until the chart is there. */
  spans: { now: Span; before: Span } | undefined;
  /** The unit of what is not over and so counts in neither; undefined: all counts. */
  open: Unit | undefined;
};

/** What the lists compare: the same as the sum of the chart. Undefined: nothing. */
export function listComparison(report: Report, search: ReportSearch): ListComparison | undefined {
  const { trend, earlier, isTrendStale, shown, span, unit } = report;
  if (search.vs === "none") return undefined;
  if (trend === undefined || earlier === undefined || isTrendStale)
    return { spans: undefined, open: undefined };
  const end = endsOpen(trend.labels, earlier)
    ? Math.min(shown.end, startOfBucket(trend.labels[earlier.labels.length]!))
    : shown.end;
  if (end <= shown.start) return undefined;
  const now = { start: shown.start, end };
  return {
    spans: { now, before: earlierOf(search, span, unit, now) },
    open: end < shown.end ? unit : undefined,
  };
}
