import { expect, test } from "bun:test";
import { createRegistry, mergeSnapshots, renderMetrics } from "./metrics.ts";

test("counters and gauges render with their labels", async () => {
  const registry = createRegistry();
  const requests = registry.counter({
    name: "requests_total",
    help: "All of them",
    labels: ["method", "status"],
  });
  requests.series("GET", "307").add();
  requests.series("GET", "307").add(2);
  registry.gauge({ name: "up", help: "Is it" }).series().set(1);
  registry.observe("gauge", { name: "size", help: "Read late", labels: ["layer"] }, () => [[["table"], 7]]);
  expect(renderMetrics(await registry.snapshot())).toBe(
    `# HELP requests_total All of them
# TYPE requests_total counter
requests_total{method="GET",status="307"} 3
# HELP up Is it
# TYPE up gauge
up 1
# HELP size Read late
# TYPE size gauge
size{layer="table"} 7
`,
  );
});

test("labels that Prometheus adds or renames are refused", () => {
  for (const label of ["job", "instance", "le", "exported_job", "__name__"]) {
    const describe = () => createRegistry().counter({ name: "x", help: "", labels: ["status", label] });
    expect(describe).toThrow("reserved label");
  }
});

test("histogram buckets are cumulative and end with +Inf", async () => {
  const registry = createRegistry();
  const times = registry.histogram({ name: "t", help: "h", labels: ["op"], bounds: [0.5, 1] }).series("get");
  for (const value of [0.25, 0.5, 0.75, 3]) times.observe(value);
  const text = renderMetrics(await registry.snapshot());
  expect(text).toContain(
    't_bucket{op="get",le="0.5"} 2\nt_bucket{op="get",le="1"} 3\nt_bucket{op="get",le="+Inf"} 4\n',
  );
  expect(text).toContain('t_sum{op="get"} 4.5\nt_count{op="get"} 4\n');
});

test("label values and help are escaped", async () => {
  const registry = createRegistry();
  registry
    .counter({ name: "c", help: "a\\b\nc", labels: ["l"] })
    .series('"\\\n')
    .add();
  expect(renderMetrics(await registry.snapshot())).toBe(
    '# HELP c a\\\\b\\nc\n# TYPE c counter\nc{l="\\"\\\\\\n"} 1\n',
  );
});

test("snapshots of several processes add up", async () => {
  const [a, b] = [createRegistry(), createRegistry()];
  for (const registry of [a, b]) {
    registry
      .counter({ name: "c", help: "", labels: ["l"] })
      .series("both")
      .add(2);
    registry
      .histogram({ name: "h", help: "", bounds: [1] })
      .series()
      .observe(0.5);
  }
  b.counter({ name: "only", help: "" }).series().add(5);
  const merged = mergeSnapshots([await a.snapshot(), JSON.parse(JSON.stringify(await b.snapshot()))]);
  expect(renderMetrics(merged)).toContain('c{l="both"} 4\n');
  expect(renderMetrics(merged)).toContain("h_sum 1\nh_count 2\n");
  expect(renderMetrics(merged)).toContain("only 5\n");
  expect(renderMetrics(await a.snapshot())).toContain('c{l="both"} 2\n');
});

test("a metric is registered once, requires its labels, and is bounded", async () => {
  const registry = createRegistry();
  const metric = registry.counter({ name: "c", help: "", labels: ["l"] });
  expect(() => registry.gauge({ name: "c", help: "" })).toThrow("registered twice");
  expect(() => metric.series()).toThrow("takes 1 labels");
  for (let at = 0; at < 1_500; at++) metric.series(String(at)).add();
  expect((await registry.snapshot())[0]!.series).toHaveLength(1_000);
});

test("some metrics take the largest value of several processes", async () => {
  const parts = [3, 7, 5].map((uptime) => {
    const registry = createRegistry();
    registry.gauge({ name: "uptime", help: "", together: "largest" }).series().set(uptime);
    return registry.snapshot();
  });
  expect(renderMetrics(mergeSnapshots(await Promise.all(parts)))).toContain("uptime 7\n");
});

test("preparation runs before each snapshot", async () => {
  const registry = createRegistry();
  let ready = 0;
  registry.prepare(async () => {
    await Promise.resolve();
    ready++;
  });
  registry.observe("gauge", { name: "ready", help: "" }, () => [[[], ready]]);
  expect(renderMetrics(await registry.snapshot())).toContain("ready 1\n");
  expect(renderMetrics(await registry.snapshot())).toContain("ready 2\n");
});
