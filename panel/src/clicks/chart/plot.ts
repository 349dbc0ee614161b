/** Draws a trend with uPlot. brush.ts handles pointer and keys. */
import uPlot from "uplot";
import { formatCompact } from "../../base/i18n.ts";
import { shortName, type Unit } from "../buckets.ts";
import { INK, LOOKS, type Scheme } from "./looks.ts";
import type { Series } from "./series.ts";
import { ticksOf } from "./ticks.ts";

type Plot = {
  width: number;
  height: number;
  starts: readonly number[];
  unit: Unit;
  series: readonly Series[];
  scheme: Scheme;
};

const LEFT = 52;
/** Room for half of a date, such as 11月22日. */
const RIGHT = 26;
const TOP = 10;
const BOTTOM = 30;
/** Up to this many buckets points are drawn. */
const MOST_POINTS = 45;
/** The area of the lines within the chart, in CSS pixels. Bucket n lies between n/count and (n+1)/count of its width. */
export const areaOf = (width: number, height: number) => ({
  left: LEFT,
  top: TOP,
  width: Math.max(1, width - LEFT - RIGHT),
  height: height - TOP - BOTTOM,
});

export function drawTrend(place: HTMLElement, plot: Plot): () => void {
  const { width, height, starts, unit, series, scheme } = plot;
  const { text, grid } = INK[scheme];
  const axis = { stroke: text, ticks: { show: false }, font: "12px system-ui, sans-serif" };
  const ticks = ticksOf(starts, unit, areaOf(width, 0).width);
  const stacked = series.findIndex(({ isStacked }) => isStacked === true);
  const drawn = new uPlot(
    {
      width,
      height,
      padding: [TOP, RIGHT, 0, 0],
      cursor: { show: false },
      legend: { show: false },
      scales: {
        x: { time: false, range: [-0.5, starts.length - 0.5] },
        y: { range: (_, __, most) => [0, Math.max(4, most * 1.05)] },
      },
      axes: [
        {
          ...axis,
          size: BOTTOM,
          grid: { show: false },
          splits: () => ticks,
          values: (_, shown) => shown.map((at) => shortName(starts[at]!, unit)),
        },
        {
          ...axis,
          size: LEFT,
          grid: { stroke: grid, width: 1 },
          incrs: [1, 2, 5]
            .flatMap((digit) => Array.from({ length: 9 }, (_, zeros) => digit * 10 ** zeros))
            .sort((a, b) => a - b),
          values: (_, shown) => shown.map(formatCompact),
        },
      ],
      series: [
        {},
        ...series.map(({ look, isArea }) => {
          const color = LOOKS[look][scheme];
          return {
            stroke: color,
            width: 2,
            dash: [...LOOKS[look].dash],
            ...(isArea && { fill: `${color}26` }),
            points: { show: starts.length <= MOST_POINTS && look !== "earlier", size: 5, fill: color },
          };
        }),
      ],
      ...(stacked > 0 && {
        bands: [{ series: [stacked + 1, stacked] as [number, number], fill: `${LOOKS.machines[scheme]}26` }],
      }),
    },
    [starts.map((_, at) => at), ...series.map(({ drawn: heights, values }) => [...(heights ?? values)])],
    place,
  );
  return () => drawn.destroy();
}
