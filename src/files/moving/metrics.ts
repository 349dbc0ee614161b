import type { Registry } from "../../lib/metrics.ts";

export type MoveMetrics = { moved(bytes: number): void; failed(): void };

export function createMoveMetrics(registry: Registry): MoveMetrics {
  const objects = registry.counter({
    name: "svc_storage_moved_objects_total",
    help: "Stored contents that this process moved to another storage policy, by outcome.",
    labels: ["status"],
  });
  const bytes = registry.counter({
    name: "svc_storage_moved_bytes_total",
    help: "Bytes of the contents that this process moved to another storage policy.",
    labels: [],
  });
  const [moved, failed] = [objects.series("success"), objects.series("failed")];
  const moving = bytes.series();
  return {
    moved(size) {
      moved.add();
      moving.add(size);
    },
    failed: () => failed.add(),
  };
}
