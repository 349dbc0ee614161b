import type { WorkerChannel } from "../cluster/worker-channel.ts";
import { type MetricSnapshot, mergeSnapshots, type Registry, renderMetrics } from "../lib/metrics.ts";

/** The Prometheus text format. */
export type Scrape = () => Promise<string>;

export function createScrape(
  registry: Registry,
  worker: Pick<WorkerChannel, "collect" | "onSnapshot"> | undefined,
): Scrape {
  if (worker === undefined) return async () => renderMetrics(await registry.snapshot());
  // Sending text between processes takes a tenth of the time of objects.
  worker.onSnapshot(async () => JSON.stringify(await registry.snapshot()));
  return async () => {
    const texts = (await worker.collect()) as string[];
    return renderMetrics(mergeSnapshots(texts.map((text) => JSON.parse(text) as MetricSnapshot[])));
  };
}
