import type { MetricSnapshot } from "../lib/metrics.ts";

export type Measurements = ReturnType<typeof readMeasurements>;

/** Reads numbers of counters and gauges by name. */
export function readMeasurements(metrics: readonly MetricSnapshot[]) {
  const byName = new Map(metrics.map((metric) => [metric.name, metric]));
  const seriesOf = (name: string) => byName.get(name)?.series ?? [];

  return {
    /** Sum of the series with this first label, or of all. 0 without any. */
    sum: (name: string, label?: string): number =>
      seriesOf(name)
        .filter(({ values }) => label === undefined || values[0] === label)
        .reduce((total, { numbers }) => total + (numbers[0] ?? 0), 0),
    rows: (name: string): { labels: readonly string[]; value: number }[] =>
      seriesOf(name).map(({ values, numbers }) => ({ labels: values, value: numbers[0] ?? 0 })),
  };
}
