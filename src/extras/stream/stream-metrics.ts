/** Metrics of the copy in ClickHouse. */
import type { Registry } from "../../lib/metrics.ts";
import type { ClickStream } from "./stream.ts";

export function registerStreamMetrics(registry: Registry, stream: Pick<ClickStream, "waiting">): void {
  let known = 0;
  registry.prepare(async () => {
    known = await stream.waiting().catch(() => known);
  });
  registry.observe(
    "gauge",
    {
      name: "svc_clickhouse_waiting_clicks",
      help: "Clicks with details that ClickHouse has not got, at most. Each takes two to four minutes.",
      together: "largest",
    },
    () => [[[], known]],
  );
}
