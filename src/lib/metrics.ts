/**
 * Prometheus text format 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/), and snapshots that add
 * up over worker processes.
 *
 * Resolve a series once (`metric.series("GET", "redirect", "307")`); then it costs one addition. A metric refuses its
 * 1,001st series.
 */

export type MetricType = "counter" | "gauge" | "histogram";

type Description = {
  name: string;
  help: string;
  labels?: readonly string[];
  /** How values of several processes combine. Default: the sum. */
  together?: Together;
};

type Together = "sum" | "largest";

/** Sent between processes. Histogram cells: bucket counts, sum, count. */
export type MetricSnapshot = {
  name: string;
  help: string;
  type: MetricType;
  labels: readonly string[];
  /** Upper bounds of a histogram, ascending. */
  bounds: readonly number[];
  together: Together;
  series: { values: readonly string[]; numbers: number[] }[];
};

export type Counter = { add(by?: number): void };
export type Gauge = { set(value: number): void };
export type Histogram = { observe(value: number): void };

type Family<S> = { series(...labelValues: string[]): S };
export type Reading = readonly [labelValues: readonly string[], value: number];

export type Registry = ReturnType<typeof createRegistry>;

const MAX_SERIES = 1_000;
/** Prometheus adds these to each series that it reads, and renames ours to `exported_…`; or it gives them a meaning. */
const RESERVED_LABEL = /^(?:job|instance|le|quantile|exported_.*|__.*)$/;
const SEPARATOR = "\u0000";

type Series = MetricSnapshot["series"];

export function createRegistry() {
  const held = new Map<string, () => MetricSnapshot>();
  const preparations: (() => Promise<void>)[] = [];

  function register(
    type: MetricType,
    { name, help, labels = [], together = "sum" }: Description,
    bounds: readonly number[],
    read: () => Series,
  ): void {
    if (held.has(name)) throw new Error(`metric ${name} is registered twice`);
    const reserved = labels.find((label) => RESERVED_LABEL.test(label));
    if (reserved !== undefined) throw new Error(`metric ${name} has the reserved label ${reserved}`);
    held.set(name, () => ({ name, help, type, labels, bounds, together, series: read() }));
  }

  function family<S>(
    type: MetricType,
    description: Description,
    bounds: readonly number[],
    use: (cells: Float64Array) => S,
  ): Family<S> {
    const labels = description.labels ?? [];
    const width = type === "histogram" ? bounds.length + 3 : 1;
    const all = new Map<string, { values: readonly string[]; cells: Float64Array }>();
    register(type, description, bounds, () =>
      [...all.values()].map(({ values, cells }) => ({ values, numbers: [...cells] })),
    );
    const cellsOf = (values: readonly string[]): Float64Array => {
      if (values.length !== labels.length)
        throw new Error(`${description.name} takes ${labels.length} labels`);
      const key = values.join(SEPARATOR);
      let series = all.get(key);
      if (series === undefined) {
        if (all.size >= MAX_SERIES) return new Float64Array(width);
        series = { values: [...values], cells: new Float64Array(width) };
        all.set(key, series);
      }
      return series.cells;
    };
    return { series: (...values) => use(cellsOf(values)) };
  }

  return {
    counter: (description: Description): Family<Counter> =>
      family("counter", description, [], (cells) => ({ add: (by = 1) => void (cells[0]! += by) })),
    gauge: (description: Description): Family<Gauge> =>
      family("gauge", description, [], (cells) => ({ set: (value) => void (cells[0] = value) })),
    histogram: ({ bounds, ...description }: Description & { bounds: readonly number[] }): Family<Histogram> =>
      family("histogram", description, bounds, (cells) => ({
        observe: (value) => observeInto(cells, bounds, value),
      })),
    /** Reads a counter or gauge at scrape time. */
    observe(type: "counter" | "gauge", description: Description, read: () => Iterable<Reading>): void {
      register(type, description, [], () =>
        [...read()].map(([values, value]) => ({ values, numbers: [value] })),
      );
    },
    /** Runs before each snapshot, for numbers that are slow to read. Must not reject. */
    prepare: (run: () => Promise<void>): void => void preparations.push(run),
    async snapshot(): Promise<MetricSnapshot[]> {
      await Promise.all(preparations.map((run) => run()));
      return [...held.values()].map((snapshot) => snapshot());
    },
  };
}

/** Cells: buckets, +Inf, sum, count. */
function observeInto(cells: Float64Array, bounds: readonly number[], value: number): void {
  let bucket = 0;
  while (bucket < bounds.length && value > bounds[bucket]!) bucket++;
  cells[bucket]! += 1;
  cells[bounds.length + 1]! += value;
  cells[bounds.length + 2]! += 1;
}

export function mergeSnapshots(parts: readonly (readonly MetricSnapshot[])[]): MetricSnapshot[] {
  const merged = new Map<string, { metric: MetricSnapshot; index: Map<string, number[]> }>();
  for (const metric of parts.flat()) {
    let into = merged.get(metric.name);
    if (into === undefined) {
      into = { metric: { ...metric, series: [] }, index: new Map() };
      merged.set(metric.name, into);
    }
    for (const { values, numbers } of metric.series) {
      const key = values.join(SEPARATOR);
      const sum = into.index.get(key);
      if (sum === undefined) {
        const copy = [...numbers];
        into.index.set(key, copy);
        into.metric.series.push({ values, numbers: copy });
      } else {
        const join = metric.together === "sum" ? add : Math.max;
        for (const [at, number] of numbers.entries()) sum[at] = join(sum[at] ?? 0, number);
      }
    }
  }
  return [...merged.values()].map(({ metric }) => metric);
}

const add = (a: number, b: number): number => a + b;

/** As `text/plain; version=0.0.4; charset=utf-8`. */
export function renderMetrics(metrics: readonly MetricSnapshot[]): string {
  const lines: string[] = [];
  for (const metric of metrics) {
    lines.push(`# HELP ${metric.name} ${escapeHelp(metric.help)}`, `# TYPE ${metric.name} ${metric.type}`);
    for (const { values, numbers } of metric.series) {
      const labels = metric.labels.map((label, at) => `${label}="${escapeLabel(values[at] ?? "")}"`);
      if (metric.type === "histogram") pushHistogram(lines, metric, labels, numbers);
      else lines.push(`${metric.name}${braces(labels)} ${format(numbers[0] ?? 0)}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

function pushHistogram(
  lines: string[],
  metric: MetricSnapshot,
  labels: readonly string[],
  numbers: readonly number[],
): void {
  let cumulative = 0;
  for (const [at, bound] of [...metric.bounds, Number.POSITIVE_INFINITY].entries()) {
    cumulative += numbers[at] ?? 0;
    lines.push(`${metric.name}_bucket${braces([...labels, `le="${format(bound)}"`])} ${cumulative}`);
  }
  const last = metric.bounds.length;
  lines.push(`${metric.name}_sum${braces(labels)} ${format(numbers[last + 1] ?? 0)}`);
  lines.push(`${metric.name}_count${braces(labels)} ${format(numbers[last + 2] ?? 0)}`);
}

const braces = (labels: readonly string[]): string => (labels.length === 0 ? "" : `{${labels.join(",")}}`);

const format = (value: number): string => {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  return value === Number.NEGATIVE_INFINITY ? "-Inf" : String(value);
};

const escapeHelp = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
const escapeLabel = (text: string): string => escapeHelp(text).replaceAll('"', '\\"');
