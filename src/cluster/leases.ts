/**
 * A lease is a row that says who may do a job until when, so that one process of a cluster does it at a time. Times
 * are the processes' own clocks: keep the machines' clocks together (NTP), and leases far longer than they differ
 * (thirty seconds and more).
 */
import type { Database } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { appError } from "../lib/errors.ts";
import { createLeaseRepository } from "./lease.repository.ts";

export type Leases = {
  /**
   * Runs the work while it holds the lease, and renews the lease meanwhile. Null, and nothing runs, while somebody
   * else holds it, this process included. Rejects with what the work throws, and with ServiceUnavailable when the
   * database is away before the work begins.
   */
  hold<T>(name: string, ttlMs: number, run: HeldWork<T>): Promise<{ value: T } | null>;
};

/**
 * `lost` aborts when the lease can't be renewed: the work stops then, because others may begin. `keepFor` keeps the
 * lease for so long after the work, in place of a release.
 */
export type HeldWork<T> = (lost: AbortSignal, keepFor: (ms: number) => void) => Promise<T>;

type Deps = {
  database: Database;
  clock: Clock;
  /** A name that no other piece of work has. */
  newOwner?: () => string;
  /** Called when a lease is taken. True when it released some whose holders died: another try may succeed. */
  releaseAbandoned?: () => Promise<boolean>;
};

/** Renewals in the time of a lease. One may fail while the database is away; after the second, half is left. */
const RENEWALS = 4;
const MOST_FAILED = 2;

export function createLeases({
  database,
  clock,
  newOwner = () => crypto.randomUUID(),
  releaseAbandoned = () => Promise.resolve(false),
}: Deps): Leases {
  const rows = createLeaseRepository({ database, clock });

  /** Renews until it is stopped, which waits for a renewal that is on its way. */
  function startRenewing(name: string, owner: string, ttlMs: number) {
    const lost = new AbortController();
    let failed = 0;
    let renewing: Promise<void> | undefined;
    const renew = async (): Promise<void> => {
      const isHeld = await rows.renew(name, owner, ttlMs).catch(() => null);
      failed = isHeld === null ? failed + 1 : 0;
      if (isHeld === false || failed >= MOST_FAILED) {
        lost.abort(
          appError(
            "ServiceUnavailable",
            "The database was away too long to keep others from this. Try again.",
          ),
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
    async hold(name, ttlMs, run) {
      const owner = newOwner();
      const acquire = () => rows.acquire(name, owner, ttlMs);
      if (!(await acquire()) && !((await releaseAbandoned()) && (await acquire()))) return null;
      const renewal = startRenewing(name, owner, ttlMs);
      let keptMs = 0;
      try {
        return { value: await run(renewal.lost, (ms) => void (keptMs = ms)) };
      } finally {
        await renewal.stop();
        const ended = keptMs > 0 ? rows.renew(name, owner, keptMs) : rows.release(name, owner);
        // Where that fails, the lease runs out by itself.
        await ended.catch(() => {});
      }
    },
  };
}
