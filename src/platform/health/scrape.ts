import type { WorkerChannel } from "../cluster/worker-channel.ts";
import { type MetricSnapshot, mergeSnapshots, type Registry, renderMetrics } from "../../lib/metrics.ts";

export type Measured = {
  metrics: readonly MetricSnapshot[];
  /** That answered. */
  processes: number;
};

export type Scrape = ReturnType<typeof createScrape>;

export function createScrape(registry: Registry, worker: Pick<WorkerChannel, "collect" | "on"> | undefined) {
  // Sending text between processes takes a tenth of the time of objects.
  worker?.on({ snapshot: async () => JSON.stringify(await registry.snapshot()) });

  /** Summed over the workers of this machine. */
  async function measure(): Promise<Measured> {
    if (worker === undefined) return { metrics: await registry.snapshot(), processes: 1 };
    const texts = (await worker.collect()) as string[];
    const metrics = mergeSnapshots(texts.map((text) => JSON.parse(text) as MetricSnapshot[]));
    return { metrics, processes: texts.length };
  }

  return {
    measure,
    /** The Prometheus text format. */
    text: async (): Promise<string> => renderMetrics((await measure()).metrics),
  };
}
