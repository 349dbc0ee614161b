/**
 * Runs background jobs, each on one process of the cluster at a time and about once per interval. A lease row is lock
 * and schedule: kept until shortly before the next run. The lease of a dead process expires. Starts are jittered.
 */
import type { Leases } from "../cluster/leases.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import { rest } from "../lib/rest.ts";

export type Job = {
  /** Unique; also names its lease. */
  name: string;
  /** Read after each run. */
  everyMs(): number;
  /** Works in small steps and stops soon after the signal. Errors are logged and counted. */
  run(signal: AbortSignal): Promise<void>;
};

export type JobStats = {
  job: string;
  succeeded: number;
  failed: number;
  lastDurationMs: number;
  /** Ends of runs by this process, epoch milliseconds; 0: none. */
  succeededAt: number;
  failedAt: number;
};

export type JobRunner = ReturnType<typeof createJobRunner>;

/** A dead process blocks its job this long. */
const LEASE_MS = 120_000;
/** Interval of the check for due jobs. */
const LOOK_MS = 60_000;
const MIN_PAUSE_MS = 1_000;
/** For new work. Then the job runs when it is due. */
const MOST_TRIES = 3;
const FAILED = "a background job failed; it runs again later";

type Deps = {
  leases: Leases;
  jobs: readonly Job[];
  clock: Clock;
  logger: Logger;
  /** 0 ≤ random < 1. */
  random?: () => number;
};

export function createJobRunner({ leases, jobs, clock, logger, random = Math.random }: Deps) {
  const stopping = new AbortController();
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  const running = new Map<string, Promise<unknown>>();
  /** Jobs with new work, and those of them that are tried. */
  const asked = new Set<string>();
  const trying = new Set<string>();
  const stats = new Map(
    jobs.map(({ name }) => [
      name,
      { job: name, succeeded: 0, failed: 0, lastDurationMs: 0, succeededAt: 0, failedAt: 0 },
    ]),
  );

  async function runJob(job: Job, lost: AbortSignal): Promise<void> {
    const counted = stats.get(job.name)!;
    const begun = performance.now();
    try {
      await job.run(AbortSignal.any([stopping.signal, lost]));
      counted.succeeded++;
      counted.succeededAt = clock.now();
      logger.debug({ job: job.name, ms: Math.round(performance.now() - begun) }, "job done");
    } catch (error) {
      counted.failed++;
      counted.failedAt = clock.now();
      throw error;
    } finally {
      counted.lastDurationMs = performance.now() - begun;
    }
  }

  /** False if another process has the lease, or this one already runs the job. */
  async function attempt(job: Job): Promise<boolean> {
    if (running.has(job.name)) return false;
    const attempting = leases.hold(job.name, LEASE_MS, (lost, keepFor) =>
      runJob(job, lost).finally(() => {
        // A stopping process releases the lease of an unfinished job.
        if (!stopping.signal.aborted) keepFor(Math.max(MIN_PAUSE_MS, job.everyMs() - LOOK_MS));
      }),
    );
    running.set(job.name, attempting);
    try {
      return (await attempting) !== null;
    } finally {
      running.delete(job.name);
    }
  }

  /** What is asked for during a run may come too late for it, so the job runs once more. */
  async function tryNow(job: Job): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES && !stopping.signal.aborted; tries++) {
      if (tries > 0) await rest(1.5 * MIN_PAUSE_MS, stopping.signal);
      asked.delete(job.name);
      const ran = await attempt(job).catch((error: unknown) => {
        logger.warn({ job: job.name, err: error }, FAILED);
        return true;
      });
      if (ran && !asked.has(job.name)) return;
      if (ran) tries = 0;
    }
  }

  function schedule(job: Job, dueAt: number): void {
    const wait = Math.min(Math.max(dueAt - clock.now(), MIN_PAUSE_MS), LOOK_MS) * (0.9 + 0.2 * random());
    const timer = setTimeout(async () => {
      let next = dueAt;
      if (clock.now() >= dueAt) {
        const ran = await attempt(job).catch((error: unknown) => {
          logger.warn({ job: job.name, err: error }, FAILED);
          return true;
        });
        next = clock.now() + (ran ? job.everyMs() : Math.min(LOOK_MS, job.everyMs()));
      }
      if (!stopping.signal.aborted) schedule(job, next);
    }, wait);
    timer.unref();
    timers.set(job.name, timer);
  }

  return {
    start(): void {
      for (const job of jobs) schedule(job, clock.now());
    },
    /** For new work: runs the job now, or a little later if another run is just ending. */
    soon(name: string): void {
      const job = jobs.find((known) => known.name === name);
      if (job === undefined) return;
      asked.add(name);
      if (trying.has(name)) return;
      trying.add(name);
      void tryNow(job).finally(() => trying.delete(name));
    },
    /** False, without a run, if the lease is taken. Rejects with the error of the job. */
    async runNow(name: string): Promise<boolean> {
      const job = jobs.find((known) => known.name === name);
      if (job === undefined) throw new Error(`there is no job ${name}`);
      return attempt(job);
    },
    stats: (): JobStats[] => [...stats.values()].map((counted) => ({ ...counted })),
    /** Aborts running jobs and waits for their end. */
    async stop(): Promise<void> {
      stopping.abort();
      for (const timer of timers.values()) clearTimeout(timer);
      await Promise.allSettled(running.values());
    },
  };
}
