/**
 * Reports which processes of the cluster run, so that others can remove what a dead one leaves in a shared place.
 *
 * A server renews a lease `process:<number>`. A released lease proves the end: the process said so, or one of its
 * machine found its lock free (process-leases.ts). Elsewhere a process has ended if nobody renewed its lease during 30
 * seconds of watching, so neither wrong clocks nor an outage count.
 */
import type { Logger } from "../../lib/logger.ts";
import type { LeaseRepository } from "./lease.repository.ts";

export type Processes = {
  /** The number of this process. Its lease exists from the first call on. */
  number(): Promise<string>;
  look(): Promise<{ running: ReadonlySet<string>; ended: ReadonlySet<string> }>;
  /** Removes leases of processes that left nothing. */
  forget(ended: Iterable<string>): Promise<void>;
};

type Deps = {
  rows: LeaseRepository;
  /** A UUID. */
  number: string;
  owner: string;
  /** Releases the leases of processes of this machine that died. */
  releaseDead(): Promise<unknown>;
  /** The process has a lock on this machine. */
  isHere(number: string): boolean;
  logger: Logger;
  /** Milliseconds of a monotonic clock. */
  monotonic?: () => number;
};

type Seen = { owner: string; end: number; since: number };

const PREFIX = "process:";
const MOST = 10_000;
const BEAT_MS = 10_000;
const LEASE_MS = 30_000;
/** A longer time between two looks may hide an outage or a pause. */
const GAP_MS = 25_000;

export function createProcesses({
  rows,
  number,
  owner,
  releaseDead,
  isHere,
  logger,
  monotonic = () => performance.now(),
}: Deps) {
  const name = PREFIX + number;
  let isKnown = false;
  let beating: Promise<void> | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  /** Each lease's end, and since when this process has seen it. */
  let seen = new Map<string, Seen>();

  async function announce(): Promise<void> {
    await rows.acquire(name, owner, LEASE_MS);
    isKnown = true;
  }

  async function look(): Promise<void> {
    const found = await rows.named(PREFIX, MOST);
    const now = monotonic();
    const before = now - lookedAt > GAP_MS ? new Map<string, never>() : seen;
    seen = new Map(
      found.map((lease) => {
        const other = lease.name.slice(PREFIX.length);
        const known = before.get(other);
        return [other, known?.end === lease.end ? known : { ...lease, since: now }];
      }),
    );
    lookedAt = now;
  }

  async function beat(): Promise<void> {
    try {
      await announce();
      await look();
    } catch (err) {
      logger.debug({ err }, "the leases of processes could not be renewed or read");
    } finally {
      beating = undefined;
    }
  }

  let timer: ReturnType<typeof setInterval> | undefined;

  const hasEnded = (other: string, { end, since }: Seen): boolean =>
    end === 0 || (!isHere(other) && lookedAt - since >= LEASE_MS);

  return {
    /** Announces this process and watches the others. */
    start(): void {
      beating ??= beat();
      timer = setInterval(() => void (beating ??= beat()), BEAT_MS);
      timer.unref();
    },
    async number() {
      if (!isKnown) await announce();
      return number;
    },
    async look() {
      await releaseDead();
      await look();
      const [running, ended] = [new Set<string>(), new Set<string>()];
      for (const [other, lease] of seen) (hasEnded(other, lease) ? ended : running).add(other);
      return { running, ended };
    },
    forget: (ended: Iterable<string>) => rows.remove([...ended].map((other) => PREFIX + other)),
    async close(): Promise<void> {
      clearInterval(timer);
      await beating;
      // A failure leaves the state of a process that crashed.
      if (isKnown) await rows.release(name, owner).catch(() => {});
    },
  } satisfies Processes & { start(): void; close(): Promise<void> };
}
