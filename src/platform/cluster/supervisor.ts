/**
 * The parent of worker processes that share a port (SO_REUSEPORT). It starts the first alone, which migrates and may
 * pick the port, and restarts dead workers, with a growing delay while they end early. If the parent dies, the channels
 * close and the workers stop.
 */
import type { Logger } from "../../lib/logger.ts";
import { createRpc } from "../../lib/rpc.ts";
import {
  callsAmong,
  drain,
  type ParentCalls,
  type SpawnWorker,
  spawnOrEnd,
  takeOutOfService,
  type Worker,
  type WorkerCalls,
  type WorkerReady,
} from "./worker-process.ts";

export class WorkerStartError extends Error {
  constructor(
    description: string,
    readonly exitCode: number,
  ) {
    super(`a worker ended (${description}) before it listened`);
  }
}

const CALL_MS = 2_000;
/** A worker gives up after a minute without a database. */
const START_MS = 120_000;
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 30_000;
const STABLE_MS = 30_000;

/** Whether a worker that ends before it listens is started again. */
type Insistence = "never" | "if killed" | "always";

type Deps = {
  count: number;
  spawn: SpawnWorker;
  logger: Logger;
  /** Counts for all workers together. Milliseconds to wait. */
  takeLoginTry(address: string): number;
  /** A worker asks for a reload; each may ask, and again while it waits. */
  renew(): void;
};

export function createSupervisor(deps: Deps) {
  const { count, spawn, logger, takeLoginTry, renew } = deps;
  const workers = new Set<Worker>();
  /** Sockets in the kernel's order: as bound; the last takes the place of a closed one. */
  const sockets: Worker[] = [];
  const respawns = createRespawns(logger);
  const callsOf = callsAmong(workers, { takeLoginTry, renew });
  let first: WorkerReady | null = null;
  let startValues: unknown = null;
  let stopping = false;

  /** Resolves when it, or one that takes its place, listens. */
  function launch(index: number, insist: Insistence, ready = Promise.withResolvers<Worker>()) {
    const gone = Promise.withResolvers<void>();
    const worker: Worker = {
      index,
      process: spawnOrEnd(spawn, logger, { index, port: first?.port ?? null, onMessage, onExit }),
      rpc: createRpc<WorkerCalls>({
        send: (message) => worker.process.send(message),
        handlers: {
          ...callsOf(() => worker),
          startValues: () => startValues,
          joined: () => void (worker.hasJoined = true),
          ready: onReady,
        } satisfies ParentCalls,
        timeoutMs: CALL_MS,
      }),
      startedAt: performance.now(),
      hasJoined: false,
      isReady: false,
      mayEnd: false,
      gone: gone.promise,
    };
    workers.add(worker);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      logger.error({ worker: index }, `a worker does not listen after ${START_MS / 1000} seconds; ending it`);
      worker.process.kill("SIGKILL");
    }, START_MS);

    function onMessage(message: unknown): void {
      worker.rpc.receive(message);
    }
    function onReady(said: WorkerReady): void {
      clearTimeout(timer);
      worker.isReady = true;
      sockets.push(worker);
      first ??= said;
      startValues ??= said.startValues;
      ready.resolve(worker);
    }
    function onExit(description: string, exitCode: number | null): void {
      clearTimeout(timer);
      workers.delete(worker);
      forgetSocket(sockets, worker);
      worker.rpc.close();
      gone.resolve();
      const giveUp = () => ready.reject(new WorkerStartError(description, exitCode ?? 1));
      const isKilled = exitCode === null && !isLate;
      const shouldRestart = worker.isReady || insist === "always" || (insist === "if killed" && isKilled);
      if (worker.mayEnd || stopping || !shouldRestart) giveUp();
      else if (worker.isReady) respawn(worker, description);
      else respawns.add(worker, description, () => void launch(index, insist, ready), giveUp);
    }
    return ready.promise;
  }

  const respawn = (dead: Worker, description: string) =>
    respawns.add(dead, description, () => void launch(dead.index, "always").catch(() => {}));

  async function stop(): Promise<void> {
    stopping = true;
    respawns.stop();
    await Promise.all([...workers].map(drain));
  }

  return {
    /** Resolves when all listen. Rejects if one ends by itself before. One that a signal ends is started again. */
    async start(): Promise<WorkerReady> {
      try {
        await launch(0, "if killed");
        // One by one, so that `sockets` has the kernel's order.
        for (let index = 1; index < count && !stopping; index++) await launch(index, "if killed");
        return first!;
      } catch (error) {
        await stop();
        throw error;
      }
    },
    /** The secret of a one-time address; null when a password is set. */
    openSetUp: async (): Promise<string | null> => sockets[0]?.rpc.call("openSetUp", undefined) ?? null,
    /** One by one: a new worker listens before the old one drains. */
    async reload(): Promise<void> {
      logger.info("reloading the workers one after another");
      startValues = null;
      const running = [...workers].filter((worker) => worker.isReady);
      // Those that stay, or drain for long, write into the new log file too.
      for (const worker of running) worker.process.kill("SIGHUP");
      for (const old of running) {
        if (stopping) return;
        // The worker crashed and is being restarted.
        if (!workers.has(old)) continue;
        old.mayEnd = true;
        const successor = await launch(old.index, "never").catch((error: Error) => error);
        if (successor instanceof Error) {
          const what = "the new worker could not start; the old ones stay";
          logger.error({ worker: old.index, reason: successor.message }, what);
          old.mayEnd = false;
          if (!workers.has(old) && !stopping) respawn(old, "while its successor started");
          return;
        }
        if (workers.has(old)) await takeOutOfService(old, successor, sockets, logger);
      }
      logger.info("reloaded");
    },
    stop,
  };
}

function forgetSocket(sockets: Worker[], worker: Worker): void {
  const place = sockets.indexOf(worker);
  const last = sockets.pop();
  if (place === -1 && last !== undefined) sockets.push(last);
  else if (last !== undefined && last !== worker) sockets[place] = last;
}

/** Replaces dead workers after a delay. */
function createRespawns(logger: Logger) {
  /** With what to do when the supervisor stops before. */
  const waiting = new Map<ReturnType<typeof setTimeout>, () => void>();
  let earlyEnds = 0;
  return {
    /** If the new one ends before it listens, its exit leads here again. */
    add(dead: Worker, description: string, again: () => void, giveUp = () => {}): void {
      earlyEnds = performance.now() - dead.startedAt < STABLE_MS ? earlyEnds + 1 : 0;
      const delayMs = Math.min(FIRST_DELAY_MS * 2 ** Math.max(0, earlyEnds - 1), LONGEST_DELAY_MS);
      logger.error({ worker: dead.index, delayMs }, `a worker ended (${description}); starting a new one`);
      const timer = setTimeout(() => {
        waiting.delete(timer);
        again();
      }, delayMs);
      waiting.set(timer, giveUp);
    },

    stop(): void {
      for (const [timer, giveUp] of waiting) {
        clearTimeout(timer);
        giveUp();
      }
    },
  };
}
