/**
 * One at a time over all processes: what deletes raw rows and what rebuilds rollups from them. It is a lease of its
 * own, beside those of the job runner, because a command takes part.
 */
import type { Leases } from "../../cluster/leases.ts";

export type Maintenance = {
  /**
   * Runs the work alone. Null, and nothing is run, while another process is at it. The signal says that the lease
   * was lost (the database was away for too long): the work stops then.
   */
  alone<T>(work: (lost: AbortSignal) => Promise<T>): Promise<T | null>;
};

export const createMaintenance = (leases: Leases): Maintenance => ({
  alone: async (work) => (await leases.hold("analytics-maintenance", 120_000, work))?.value ?? null,
});
