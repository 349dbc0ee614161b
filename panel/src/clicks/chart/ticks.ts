import type { Unit } from "../buckets.ts";

/** Of a name below the chart, in CSS pixels. */
const TICK_WIDTH = 72;
const STEPS: Record<Unit, readonly number[]> = {
  hour: [1, 2, 3, 6, 12, 24, 48, 72, 168, 336],
  day: [1, 2, 7, 14, 28, 56, 91, 182, 364],
  week: [1, 2, 4, 8, 13, 26, 52],
  month: [1, 2, 3, 6, 12, 24, 60],
};
/** Fewer days have no weeks to show. */
const TWO_WEEKS = 14;
const FEW_DAYS: readonly number[] = [1, 2, 3, 4, 6];

/** Buckets whose names fit below a chart of this width. Hours begin with the day. */
export function ticksOf(starts: readonly number[], unit: Unit, width: number): number[] {
  const most = Math.max(2, Math.floor(width / TICK_WIDTH));
  const steps = unit === "day" && starts.length < TWO_WEEKS ? FEW_DAYS : STEPS[unit];
  const step = steps.find((each) => starts.length / each <= most) ?? Math.ceil(starts.length / most);
  const every = Math.min(step, 24);
  const first = unit === "hour" ? starts.findIndex((start) => new Date(start).getHours() % every === 0) : 0;
  return starts.map((_, at) => at).filter((at) => at >= first && (at - first) % step === 0);
}

const MOST_LINES = 6;
/** A chart with fewer clicks is as high as one with these. */
const FEWEST = 3;

/** The counts that the axis names, from 0 to the first one above the peak. */
export function countTicks(peak: number): number[] {
  const most = Math.max(FEWEST, peak);
  const zeros = 10 ** Math.max(0, Math.floor(Math.log10(most)) - 1);
  const step = [1, 2, 5, 10, 20].map((each) => each * zeros).find((each) => most / each < MOST_LINES)!;
  return Array.from({ length: Math.floor(most / step) + 2 }, (_, at) => at * step);
}
