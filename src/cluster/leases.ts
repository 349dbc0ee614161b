/**
 * A lease names the owner of a job until an instant of the database's clock, so that one process of a cluster runs it.
 */
import { appError } from "../lib/errors.ts";
import { createLeaseRepository, type LeaseDeps } from "./lease.repository.ts";

export type Leases = ReturnType<typeof createLeases>;

/**
 * `lost` aborts if the lease can't be renewed: stop, because another process may start. `keepFor` keeps others from the
 * lease for that time after the work, even if this process dies.
 */
export type HeldWork<T> = (lost: AbortSignal, keepFor: (ms: number) => void) => Promise<T>;

type Deps = LeaseDeps & {
  /** Unique for each piece of work. */
  newOwner?: () => string;
  /** True if it released leases of dead holders: try again. */
  releaseAbandoned?: () => Promise<boolean>;
};

/** Per lease time; after the second failure half of it is left. */
const RENEWALS = 4;
const MOST_FAILED = 2;

export function createLeases(deps: Deps) {
  const { newOwner = () => crypto.randomUUID(), releaseAbandoned = () => Promise.resolve(false) } = deps;
  const rows = createLeaseRepository(deps);

  /** Stopping waits for a running renewal. */
  function startRenewing(name: string, owner: string, ttlMs: number) {
    const lost = new AbortController();
    let failed = 0;
    let renewing: Promise<void> | undefined;
    const renew = async (): Promise<void> => {
      const isHeld = await rows.renew(name, owner, ttlMs).catch(() => null);
      failed = isHeld === null ? failed + 1 : 0;
      if (isHeld === false || failed >= MOST_FAILED) {
        lost.abort(
          appError("ServiceUnavailable", "The database was away too long to keep the lock. Try again."),
        );
      }
      renewing = undefined;
    };
    const timer = setInterval(() => void (renewing ??= renew()), ttlMs / RENEWALS);
    return {
      lost: lost.signal,
      async stop() {
        clearInterval(timer);
        await renewing;
      },
    };
  }

  return {
    /**
     * Renews the lease during the work. Null, without running, if somebody else has it, even in this process. Rejects
     * with ServiceUnavailable if the database is away at the start.
     */
    async hold<T>(name: string, ttlMs: number, run: HeldWork<T>): Promise<{ value: T } | null> {
      const owner = newOwner();
      const acquire = () => rows.acquire(name, owner, ttlMs);
      if (!(await acquire()) && !((await releaseAbandoned()) && (await acquire()))) return null;
      const renewal = startRenewing(name, owner, ttlMs);
      let keptMs = 0;
      try {
        return { value: await run(renewal.lost, (ms) => void (keptMs = ms)) };
      } finally {
        await renewal.stop();
        const ended = keptMs > 0 ? rows.block(name, owner, keptMs) : rows.release(name, owner);
        // On failure the lease expires.
        await ended.catch(() => {});
      }
    },
  };
}
