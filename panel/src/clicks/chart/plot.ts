/** Draws a trend with uPlot. brush.ts handles pointer and keys. */
import uPlot from "uplot";
import { formatCompact, formatNumber } from "../../base/i18n.ts";
import { shortName, type Unit } from "../buckets.ts";
import { INK, LINE_WIDTH, LOOKS, OPEN_DASH, type Scheme } from "./looks.ts";
import type { Series } from "./series.ts";
import { countTicks, ticksOf } from "./ticks.ts";

type Plot = {
  width: number;
  height: number;
  starts: readonly number[];
  unit: Unit;
  series: readonly Series[];
  /** The bucket that is not over; -1 if all are. */
  open: number;
  scheme: Scheme;
};

const LEFT = 52;
/** Room for half of a date, such as 11月22日. */
const RIGHT = 26;
/** Room for what the axis counts. */
const TOP = 30;
const BOTTOM = 30;
/** Axes up to this count have whole numbers. */
const FROM_COMPACT = 10_000;
/** Up to this many buckets points are drawn. */
const MOST_POINTS = 45;
/** The area of the lines within the chart, in CSS pixels. Bucket n lies between n/count and (n+1)/count of its width. */
export const areaOf = (width: number, height: number) => ({
  left: LEFT,
  top: TOP,
  width: Math.max(1, width - LEFT - RIGHT),
  height: height - TOP - BOTTOM,
});

/** A line, with its values at their buckets. */
type Drawn = { line: uPlot.Series; heights: readonly (number | null)[] };

/** The values until the last whole bucket, and dashed the way to the one that still grows. */
function linesOf({ look, isArea, values }: Series, { starts, open, scheme }: Plot): Drawn[] {
  const { dash, width = LINE_WIDTH, [scheme]: color } = LOOKS[look];
  const line: uPlot.Series = {
    stroke: color,
    width,
    dash: [...dash],
    points: { show: starts.length <= MOST_POINTS && look !== "earlier", size: width + 3, fill: color },
    ...(isArea && { fill: `${color}26` }),
  };
  if (open < 0 || look === "earlier") return [{ line, heights: values }];
  return [
    { line, heights: values.map((value, at) => (at < open ? value : null)) },
    {
      line: {
        ...line,
        dash: [...OPEN_DASH],
        points: { ...line.points, fill: "transparent", size: width + 5, show: true, filter: () => [open] },
        ...(isArea && { fill: `${color}12` }),
      },
      heights: values.map((value, at) => (at === open || at === open - 1 ? value : null)),
    },
  ];
}

export function drawTrend(place: HTMLElement, plot: Plot): () => void {
  const { width, height, starts, unit, series, scheme } = plot;
  const { text, grid } = INK[scheme];
  const axis = { stroke: text, ticks: { show: false }, font: "12px system-ui, sans-serif" };
  const ticks = ticksOf(starts, unit, areaOf(width, 0).width);
  const counts = countTicks(Math.max(0, ...series.flatMap(({ values }) => values.map((one) => one ?? 0))));
  const lines = series.flatMap((each) => linesOf(each, plot));
  const drawn = new uPlot(
    {
      width,
      height,
      padding: [TOP, RIGHT, 0, 0],
      cursor: { show: false },
      legend: { show: false },
      scales: {
        x: { time: false, range: [-0.5, starts.length - 0.5] },
        y: { range: [0, counts.at(-1)!] },
      },
      axes: [
        {
          ...axis,
          size: BOTTOM,
          // Away from the zero of the other axis.
          gap: 9,
          grid: { show: false },
          splits: () => ticks,
          values: (_, shown) => shown.map((at) => shortName(starts[at]!, unit)),
        },
        {
          ...axis,
          size: LEFT,
          grid: { stroke: grid, width: 1 },
          splits: () => counts,
          values: (_, shown) => shown.map(counts.at(-1)! < FROM_COMPACT ? formatNumber : formatCompact),
        },
      ],
      series: [{}, ...lines.map(({ line }) => line)],
    },
    [starts.map((_, at) => at), ...lines.map(({ heights }) => [...heights])],
    place,
  );
  return () => drawn.destroy();
}
