import type { Registry } from "../../lib/metrics.ts";
import type { DriverType } from "./driver.ts";

export type StorageOutcome = "success" | "failed";

export type OperationEnd = (outcome: StorageOutcome, seconds: number) => void;

/** Values of the label `operation`. */
export const STORAGE_OPERATIONS = [
  "claim",
  "write",
  "suspend",
  "resume",
  "finish",
  "read",
  "stat",
  "delete",
  "delete_staging",
  "list",
] as const;

export type DriverMetrics = Record<(typeof STORAGE_OPERATIONS)[number], OperationEnd>;

export type StorageMetrics = Record<DriverType, DriverMetrics>;

/** Seconds. */
const BOUNDS = [0.0001, 0.001, 0.005, 0.025, 0.1, 0.5, 2, 10, 60, 600];

export function createStorageMetrics(registry: Registry): StorageMetrics {
  const counts = registry.counter({
    name: "svc_storage_operations_total",
    help: "Operations of file storages, by outcome.",
    labels: ["driver", "operation", "status"],
  });
  const times = registry.histogram({
    name: "svc_storage_operation_duration_seconds",
    help: "Duration of file storage operations, including waits for the client.",
    labels: ["driver", "operation"],
    bounds: BOUNDS,
  });
  function endOf(driver: DriverType, operation: string): OperationEnd {
    // From the start, so that the first failure is visible as an increase.
    const ended = {
      success: counts.series(driver, operation, "success"),
      failed: counts.series(driver, operation, "failed"),
    };
    return (outcome, seconds) => {
      ended[outcome].add();
      times.series(driver, operation).observe(seconds);
    };
  }
  const metricsOf = (driver: DriverType) =>
    Object.fromEntries(
      STORAGE_OPERATIONS.map((operation) => [operation, endOf(driver, operation)]),
    ) as DriverMetrics;
  return { local: metricsOf("local"), s3: metricsOf("s3"), linked: metricsOf("linked") };
}
