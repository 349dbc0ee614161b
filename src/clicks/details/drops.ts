/** Clicks whose wanted details are missing in the click log, by day and reason. */
import type { Detail } from "./details.ts";
import { type DetailRefusal, REFUSALS, detailRefusalOf } from "../journal/format.ts";
import type { ClickBatch } from "../journal/reader.ts";
import { BUCKETS } from "../rollups/time-buckets.ts";

/** `stopped`: analytics.max_log_rows was reached. `imported`: brought from another product without a row in the log. */
export type DropReason = DetailRefusal | "stopped" | "imported";
export type DropCount = { day: number; reason: DropReason; clicks: number };
export type Refusals = Readonly<Record<DetailRefusal, number>>;

export const NO_REFUSALS: Refusals = { full: 0, disconnected: 0, sampled_out: 0, signal: 0 };
const NONE: ReadonlySet<number> = new Set();

export function countRefusals(batch: ClickBatch): Refusals {
  const counts = { ...NO_REFUSALS };
  for (const { reason, clicks } of refusedByDay(batch, NONE)) counts[reason] += clicks;
  return counts;
}

/** Without clicks of removed links. */
export function refusedByDay(
  batch: ClickBatch,
  gone: ReadonlySet<number>,
): (DropCount & { reason: DetailRefusal })[] {
  if (batch.refused === 0) return [];
  const days = new Map<number, Record<DetailRefusal, number>>();
  for (let at = 0; at < batch.count; at++) {
    const reason = detailRefusalOf(batch.kinds[at]!);
    if (reason === null || gone.has(batch.links[at]!)) continue;
    const day = BUCKETS.day.of(batch.times[at]!);
    let counts = days.get(day);
    if (counts === undefined) days.set(day, (counts = { ...NO_REFUSALS }));
    counts[reason] += 1;
  }
  return [...days].flatMap(([day, counts]) =>
    REFUSALS.map((reason) => ({ day, reason, clicks: counts[reason] })).filter(({ clicks }) => clicks > 0),
  );
}

/** Kept out of the log by the row limit. */
export function stoppedByDay(details: readonly Pick<Detail, "atMs">[]): DropCount[] {
  const days = Map.groupBy(details, ({ atMs }) => BUCKETS.day.of(atMs));
  return [...days].map(([day, { length }]) => ({ day, reason: "stopped", clicks: length }));
}
