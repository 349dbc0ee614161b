/** Answers about clicks by time as lines of a chart. */
import { t } from "@lingui/core/macro";
import type { Trend } from "../../base/api.ts";
import { formatNumber } from "../../base/i18n.ts";
import type { Unit } from "../buckets.ts";
import type { Look } from "./looks.ts";
import type { Comparison, Visitors } from "../range.ts";

export type Series = {
  name: string;
  look: Look;
  /** Null: not known. */
  values: readonly (number | null)[];
  /** Filled down to the axis. */
  isArea?: boolean;
};

const COMPARED: readonly Look[] = ["people", "first", "second", "third", "machines"];

export const sum = (values: readonly (number | null)[]): number =>
  values.reduce<number>((all, value) => all + (value ?? 0), 0);

/** What is compared, and told as the sum: of both kinds of visitors the human ones. */
export const leadingValues = (trend: Trend, visitors: Visitors): readonly number[] =>
  visitors === "automated" ? trend.automated_clicks : trend.human_clicks;

/** The buckets with which earlier ones are compared: not one that is not over, if none of it is known earlier. */
export const comparable = <T>(values: readonly T[], earlier: Trend | undefined): readonly T[] =>
  values.slice(0, earlier?.labels.length);

/** Whether the buckets end with one that `comparable` leaves out. */
export const endsOpen = (values: readonly unknown[], earlier: Trend | undefined): boolean =>
  earlier !== undefined && values.length > earlier.labels.length;

type Compared = {
  earlier: Trend | undefined;
  vs: Comparison;
};

/** Null where nothing is known. */
const known = ({ labels, unknown = [] }: Trend, values: readonly number[]): (number | null)[] =>
  unknown.length === 0
    ? [...values]
    : values.map((value, at) => (unknown.includes(labels[at]!) ? null : value));

export function seriesOf(trend: Trend, visitors: Visitors, { earlier, vs }: Compared): Series[] {
  const people: Series = {
    name: t`Human clicks`,
    look: "people",
    values: known(trend, trend.human_clicks),
    isArea: true,
  };
  const machines: Series = { name: t`Bots`, look: "machines", values: known(trend, trend.automated_clicks) };
  const own = { human: [people], automated: [machines], all: [people, machines] }[visitors];
  const length = trend.labels.length;
  const fitted = (values: readonly (number | null)[]) =>
    Array.from({ length }, (_, at) => (values[at] === undefined ? null : values[at]));
  return [
    ...own,
    ...(earlier === undefined
      ? []
      : [
          {
            name: vs === "year" ? t`A year before` : t`Previous period`,
            look: "earlier" as const,
            values: fitted(known(earlier, leadingValues(earlier, visitors))),
          },
        ]),
  ];
}

/** A line for each link. */
export const comparedSeries = (
  links: readonly { name: string; trend: Trend }[],
  visitors: Visitors,
): Series[] =>
  links.map(({ name, trend }, at) => ({
    name,
    look: COMPARED[at]!,
    values: known(trend, leadingValues(trend, visitors)),
  }));

/** What a chart and its table show. */
export type DrawnSeries = {
  label: string;
  starts: readonly number[];
  unit: Unit;
  series: readonly Series[];
  /** The bucket that is not over; -1 if all are. */
  open: number;
};

/** A value as a person reads it. */
export const shownValue = (value: number | null | undefined): string =>
  value === null ? t`not known` : formatNumber(value ?? 0);
