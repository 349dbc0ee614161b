/**
 * Runs background jobs, each on one process of the cluster at a time and about once in its interval over the whole
 * cluster. A lease row is both lock and schedule: while a job runs its lease is renewed; when it is done the lease
 * is kept until shortly before the next run is due, so no other process begins sooner. A process that dies lets its
 * lease run out, and another takes over. Starts are jittered, so that processes do not knock at the same moment.
 */
import type { Leases } from "../cluster/leases.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";

export type Job = {
  /** Unique; also the name of its lease. */
  name: string;
  /** Time from one run to the next; read anew after each run. */
  everyMs(): number;
  /** Small steps; stops soon after the signal. What it throws is logged and counted. */
  run(signal: AbortSignal): Promise<void>;
};

export type JobStats = { job: string; succeeded: number; failed: number; lastDurationMs: number };

export type JobRunner = {
  start(): void;
  /** Runs a job now when its lease can be had; resolves with whether it ran. Rejects with what the job threw. */
  runNow(name: string): Promise<boolean>;
  stats(): JobStats[];
  /** Aborts what runs and waits for its end. */
  stop(): Promise<void>;
};

/** How long a process that died keeps others from the job. */
const LEASE_MS = 120_000;
/** How often a process looks whether a job is due and free. */
const LOOK_MS = 60_000;
const MIN_PAUSE_MS = 1_000;

type Deps = {
  leases: Leases;
  jobs: readonly Job[];
  clock: Clock;
  logger: Logger;
  /** From 0 up to 1. */
  random?: () => number;
};

export function createJobRunner({ leases, jobs, clock, logger, random = Math.random }: Deps): JobRunner {
  const stopping = new AbortController();
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  const running = new Map<string, Promise<unknown>>();
  const stats = new Map(
    jobs.map(({ name }) => [name, { job: name, succeeded: 0, failed: 0, lastDurationMs: 0 }]),
  );

  async function runJob(job: Job, lost: AbortSignal): Promise<void> {
    const counted = stats.get(job.name)!;
    const begun = performance.now();
    try {
      await job.run(AbortSignal.any([stopping.signal, lost]));
      counted.succeeded++;
      logger.debug({ job: job.name, ms: Math.round(performance.now() - begun) }, "job done");
    } catch (error) {
      counted.failed++;
      throw error;
    } finally {
      counted.lastDurationMs = performance.now() - begun;
    }
  }

  /** False when another process has the lease, or this one runs the job already. */
  async function attempt(job: Job): Promise<boolean> {
    if (running.has(job.name)) return false;
    const attempting = leases.hold(job.name, LEASE_MS, (lost, keepFor) =>
      runJob(job, lost).finally(() => {
        // A stopping process hands the job on at once when it could not finish it.
        if (!stopping.signal.aborted) keepFor(Math.max(MIN_PAUSE_MS, job.everyMs() - LOOK_MS));
      }),
    );
    try {
      return (await attempting) !== null;
    } finally {
      running.delete(job.name);
    }
  }

  function schedule(job: Job, dueAt: number): void {
    const wait = Math.min(Math.max(dueAt - clock.now(), MIN_PAUSE_MS), LOOK_MS) * (0.9 + 0.2 * random());
    const timer = setTimeout(async () => {
      let next = dueAt;
      if (clock.now() >= dueAt) {
        const ran = await attempt(job).catch((error: unknown) => {
          logger.warn({ job: job.name, err: error }, "a background job failed; it is tried again later");
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
    start() {
      for (const job of jobs) schedule(job, clock.now());
    },
    async runNow(name) {
      const job = jobs.find((known) => known.name === name);
      if (job === undefined) throw new Error(`there is no job ${name}`);
      return attempt(job);
    },
    stats: () => [...stats.values()].map((counted) => ({ ...counted })),
    async stop() {
      stopping.abort();
      for (const timer of timers.values()) clearTimeout(timer);
      await Promise.allSettled(running.values());
    },
  };
}
