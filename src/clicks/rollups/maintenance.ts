/**
 * Deletion of raw rows and rebuilds from them run one at a time over all processes. A lease of their own includes
 * commands.
 */
import type { Leases } from "../../platform/cluster/leases.ts";

export type Maintenance = ReturnType<typeof createMaintenance>;

export const createMaintenance = (leases: Leases) => ({
  /** Null, without running, while another process works. The signal aborts if the lease is lost. */
  alone: async <T>(work: (lost: AbortSignal) => Promise<T>): Promise<T | null> =>
    (await leases.hold("analytics-maintenance", 120_000, work))?.value ?? null,
});
