import type { Reading, Registry } from "../../lib/metrics.ts";
import type { StagedTotal } from "./staged.repository.ts";

const LABELS = ["state"] as const;

/** All processes read the same rows, so the largest number is the cluster's. */
export function registerStagedMetrics(registry: Registry, total: () => Promise<StagedTotal>): void {
  let last: Pick<StagedTotal, "bytes" | "abandonedBytes"> = { bytes: 0, abandonedBytes: 0 };
  registry.prepare(async () => {
    last = await total().catch(() => last);
  });
  registry.observe(
    "gauge",
    {
      name: "svc_storage_staged_bytes",
      help: "Bytes of unfinished uploads in all storages, as last counted: used or abandoned.",
      labels: LABELS,
      together: "largest",
    },
    (): Reading[] => [
      [["used"], last.bytes - last.abandonedBytes],
      [["abandoned"], last.abandonedBytes],
    ],
  );
}
