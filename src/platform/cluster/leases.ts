/**
 * A lease names the owner of a job until an instant of the database's clock, so that one process of a cluster runs it.
 */
import { appError } from "../../lib/errors.ts";
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

/** Between two tries to end a lease while the database is away. */
const END_AGAIN_MS = 1_000;
/**
 * Most owners of one lease that are still to be released. While the database is known to be away, later tries do not
 * reach it.
 */
const MOST_ENDED = 4;
/** Per lease time; after the second failure half of it is left. */
const RENEWALS = 4;
const MOST_FAILED = 2;

export function createLeases(deps: Deps) {
  const { newOwner = () => crypto.randomUUID(), releaseAbandoned = () => Promise.resolve(false) } = deps;
  const rows = createLeaseRepository(deps);

  /**
   * Owners whose work here has ended while the database was away: their rows may be held. The next work takes the lease
   * from them, and they are released as soon as the database responds, for other processes.
   */
  const ended = new Map<string, Set<string>>();

  function endLater(name: string, owner: string, ttlMs: number, end: () => Promise<void>): void {
    const owners = ended.get(name) ?? new Set();
    if (owners.size >= MOST_ENDED) return;
    ended.set(name, owners.add(owner));
    const expiry = performance.now() + ttlMs;
    const again = async (): Promise<void> => {
      const isDone = await end().then(
        () => true,
        () => performance.now() > expiry,
      );
      if (!isDone) return wait();
      owners.delete(owner);
      if (owners.size === 0 && ended.get(name) === owners) ended.delete(name);
    };
    const wait = () => void setTimeout(() => void again(), END_AGAIN_MS).unref();
    wait();
  }

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
      const release = () => rows.release(name, owner);
      const acquire = async () => {
        try {
          return await rows.acquire(name, owner, ttlMs, [...(ended.get(name) ?? [])]);
        } catch (error) {
          endLater(name, owner, ttlMs, release);
          throw error;
        }
      };
      if (!(await acquire()) && !((await releaseAbandoned()) && (await acquire()))) return null;
      const renewal = startRenewing(name, owner, ttlMs);
      let keptMs = 0;
      try {
        return { value: await run(renewal.lost, (ms) => void (keptMs = ms)) };
      } finally {
        await renewal.stop();
        const end = () => (keptMs > 0 ? rows.block(name, owner, keptMs) : release());
        await end().catch(() => endLater(name, owner, ttlMs, end));
      }
    },
  };
}
