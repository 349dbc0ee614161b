/** Answers about clicks by time as lines of a chart. */
import { t } from "@lingui/core/macro";
import type { Trend } from "../../base/api.ts";
import type { Unit } from "../buckets.ts";
import type { Look } from "./looks.ts";
import type { Comparison, Visitors } from "../range.ts";

export type Series = {
  name: string;
  look: Look;
  values: readonly number[];
  /** Filled down to the axis. */
  isArea?: boolean;
  /** Drawn on top of the series before it. */
  isStacked?: boolean;
  /** Heights of the line if they differ from the values. */
  drawn?: readonly number[];
};

const OTHERS: readonly Look[] = ["first", "second", "third"];

export const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

export const valuesFor = (trend: Trend, visitors: Visitors): readonly number[] =>
  ({ all: trend.values, human: trend.human_clicks, automated: trend.automated_clicks })[visitors];

type Compared = {
  earlier: Trend | undefined;
  vs: Comparison;
  others?: readonly { name: string; trend: Trend }[];
};

export function seriesOf(trend: Trend, visitors: Visitors, { earlier, vs, others = [] }: Compared): Series[] {
  const people: Series = { name: t`Human clicks`, look: "people", values: trend.human_clicks, isArea: true };
  const machines: Series = { name: t`Bots`, look: "machines", values: trend.automated_clicks };
  const own = {
    human: [people],
    automated: [{ ...machines, isArea: true }],
    all: [
      people,
      {
        ...machines,
        isStacked: true,
        drawn: trend.automated_clicks.map((count, at) => count + (trend.human_clicks[at] ?? 0)),
      },
    ],
  }[visitors];
  const length = trend.labels.length;
  const fitted = (values: readonly number[]) => Array.from({ length }, (_, at) => values[at] ?? 0);
  return [
    ...own,
    ...others.map((other, at) => ({
      name: other.name,
      look: OTHERS[at]!,
      values: fitted(valuesFor(other.trend, visitors)),
    })),
    ...(earlier === undefined
      ? []
      : [
          {
            name: vs === "year" ? t`A year before` : t`Previous period`,
            look: "earlier" as const,
            values: fitted(valuesFor(earlier, visitors)),
          },
        ]),
  ];
}

/** What a chart and its table show. */
export type DrawnSeries = {
  label: string;
  starts: readonly number[];
  unit: Unit;
  series: readonly Series[];
};
