/**
 * One at a time over all processes: what deletes raw rows and what rebuilds rollups from them. It is a lease of its
 * own, beside those of the job runner, because a command takes part.
 */
import type { Leases } from "../cluster/leases.ts";

export type Maintenance = {
  /**
   * Runs the work alone. Null, and nothing is run, while another process is at it. The signal says that the lease
   * was lost (the database was away for too long): the work stops then.
   */
  alone<T>(work: (lost: AbortSignal) => Promise<T>): Promise<T | null>;
};

const LEASE = "analytics-maintenance";
const LEASE_MS = 120_000;
const RENEW_MS = 30_000;

/** `owner` is a UUID of this process. */
export function createMaintenance({ leases, owner }: { leases: Leases; owner: string }): Maintenance {
  let isBusy = false;
  return {
    async alone(work) {
      if (isBusy || !(await leases.acquire(LEASE, owner, LEASE_MS))) return null;
      isBusy = true;
      const lost = new AbortController();
      const renewing = setInterval(async () => {
        const isHeld = await leases.renew(LEASE, owner, LEASE_MS).catch(() => false);
        if (!isHeld) lost.abort();
      }, RENEW_MS);
      try {
        return await work(lost.signal);
      } finally {
        clearInterval(renewing);
        isBusy = false;
        await leases.release(LEASE, owner).catch(() => {});
      }
    },
  };
}
