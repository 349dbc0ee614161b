/**
 * Runs background jobs, each on one process of the cluster at a time and about once per interval. A lease row is lock
 * and schedule: kept until shortly before the next run. The lease of a dead process expires. Starts are jittered.
 */
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Reading, Registry } from "../../lib/metrics.ts";
import { rest } from "../../lib/rest.ts";
import type { Leases } from "../cluster/leases.ts";
import { isDatabaseAway } from "../db/failures.ts";

export function registerJobMetrics(registry: Registry, { stats }: Pick<JobRunner, "stats">): void {
  registry.observe(
    "counter",
    {
      name: "svc_job_runs_total",
      help: "Runs of background jobs by this process.",
      labels: ["task", "status"],
    },
    () =>
      stats().flatMap(({ job, succeeded, failed }): Reading[] => [
        [[job, "success"], succeeded],
        [[job, "failed"], failed],
      ]),
  );
  registry.observe(
    "gauge",
    {
      name: "svc_job_last_run_timestamp_seconds",
      help: "Unix time of the last run of a background job on this machine, by outcome.",
      labels: ["task", "status"],
      together: "largest",
    },
    () =>
      stats().flatMap(({ job, succeededAt, failedAt }): Reading[] => [
        [[job, "success"], succeededAt / 1000],
        [[job, "failed"], failedAt / 1000],
      ]),
  );
}

export type Job = {
  /** Unique; also names its lease. */
  name: string;
  /** Read after each run. */
  everyMs(): number;
  /**
   * Works in small steps and stops soon after the signal, which a lost lease aborts, too. `stopping`: the process ends.
   * Errors are logged and counted.
   */
  run(signal: AbortSignal, stopping?: AbortSignal): Promise<void>;
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
/** Tries for new work. Then the job runs when it is due. */
const MOST_TRIES = 3;
/** Between two tries while the database is away. */
const AWAY_MS = 2_000;
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
  const { attempt, attemptLogged, running, stats } = createAttempts({
    leases,
    jobs,
    clock,
    logger,
    stopping,
  });
  /** Jobs with new work, and those of them that are tried. */
  const requested = new Set<string>();
  const trying = new Set<string>();

  /** A run that is requested during another may come too late for it, so the job runs once more. */
  async function tryNow(job: Job): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES && !stopping.signal.aborted; tries++) {
      if (tries > 0) await rest(1.5 * MIN_PAUSE_MS, stopping.signal);
      requested.delete(job.name);
      const outcome = await attemptLogged(job);
      if (outcome === "ran" && !requested.has(job.name)) return;
      if (outcome !== "taken") tries = 0;
    }
  }

  function schedule(job: Job, dueAt: number): void {
    const wait = Math.min(Math.max(dueAt - clock.now(), MIN_PAUSE_MS), LOOK_MS) * (0.9 + 0.2 * random());
    const timer = setTimeout(async () => {
      let next = dueAt;
      if (clock.now() >= dueAt) {
        const outcome = await attemptLogged(job);
        const pauses = { ran: job.everyMs(), taken: Math.min(LOOK_MS, job.everyMs()), cut: AWAY_MS };
        next = clock.now() + pauses[outcome];
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
    /** Runs the job now because of new work, or a little later if another run is just ending. */
    soon(name: string): void {
      const job = jobs.find((known) => known.name === name);
      if (job === undefined) return;
      requested.add(name);
      if (trying.has(name)) return;
      trying.add(name);
      void tryNow(job).finally(() => trying.delete(name));
    },
    /** False, without a run, if the lease is taken. Rejects with the error of the job. */
    async runNow(name: string): Promise<boolean> {
      const job = jobs.find((known) => known.name === name);
      if (job === undefined) throw new Error(`there is no job ${name}`);
      return (await attempt(job)) !== "taken";
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

/** `cut`: an outage of the database ended the run. `taken`: another run has the lease. */
type RunOutcome = "ran" | "cut" | "taken";

type AttemptDeps = Pick<Deps, "leases" | "jobs" | "clock" | "logger"> & { stopping: AbortController };

/** Runs under leases, with their counts. */
function createAttempts({ leases, jobs, clock, logger, stopping }: AttemptDeps) {
  const running = new Map<string, Promise<unknown>>();
  /** Jobs whose last try found no database. */
  const wasAway = new Set<string>();
  const stats = new Map(
    jobs.map(({ name }) => [
      name,
      { job: name, succeeded: 0, failed: 0, lastDurationMs: 0, succeededAt: 0, failedAt: 0 },
    ]),
  );

  /** The process that stops has cut the run short. */
  const isByStop = (error: unknown): boolean => stopping.signal.aborted && error === stopping.signal.reason;

  async function runJob(job: Job, lost: AbortSignal): Promise<void> {
    const counted = stats.get(job.name)!;
    const begun = performance.now();
    try {
      await job.run(AbortSignal.any([stopping.signal, lost]), stopping.signal);
      counted.succeeded++;
      counted.succeededAt = clock.now();
      logger.debug({ job: job.name, ms: Math.round(performance.now() - begun) }, "job done");
    } catch (error) {
      if (!isByStop(error)) {
        counted.failed++;
        counted.failedAt = clock.now();
      }
      throw error;
    } finally {
      counted.lastDurationMs = performance.now() - begun;
    }
  }

  /** @throws the error of the job */
  async function attempt(job: Job): Promise<RunOutcome> {
    if (running.has(job.name)) return "taken";
    const attempting = leases.hold(job.name, LEASE_MS, async (lost, keepFor) => {
      let isAgain = true;
      try {
        await runJob(job, lost);
        isAgain = lost.aborted;
      } catch (error) {
        isAgain = isDatabaseAway(error);
        throw error;
      } finally {
        // What an outage cut short goes on after it. A stopping process releases the lease of an unfinished job.
        if (!isAgain && !stopping.signal.aborted) keepFor(Math.max(MIN_PAUSE_MS, job.everyMs() - LOOK_MS));
      }
      return isAgain ? "cut" : "ran";
    });
    running.set(job.name, attempting);
    try {
      return (await attempting)?.value ?? "taken";
    } finally {
      running.delete(job.name);
    }
  }

  async function attemptLogged(job: Job): Promise<RunOutcome> {
    try {
      const outcome = await attempt(job);
      wasAway.delete(job.name);
      return outcome;
    } catch (error) {
      if (isByStop(error)) return "cut";
      const isAway = isDatabaseAway(error);
      if (!isAway || !wasAway.has(job.name)) logger.warn({ job: job.name, err: error }, FAILED);
      if (isAway) wasAway.add(job.name);
      return isAway ? "cut" : "ran";
    }
  }

  return { attempt, attemptLogged, running, stats };
}
