/**
 * The parent of worker processes that share a port (SO_REUSEPORT). It starts the first alone, which migrates and may
 * pick the port, and restarts dead workers, with a growing delay while they end early. If the parent dies, the channels
 * close and the workers stop.
 */
import type { Logger } from "../lib/logger.ts";
import { createRpc, type Rpc } from "../lib/rpc.ts";
import type { ChangeMessage } from "./changes.ts";

export type WorkerProcess = {
  send(message: unknown): void;
  kill(signal: "SIGTERM" | "SIGKILL" | "SIGHUP"): void;
};

export type SpawnWorker = (options: {
  index: number;
  /** The shared port; null for the first worker. */
  port: number | null;
  onMessage(message: unknown): void;
  /** `exitCode`: null after a signal. */
  onExit(description: string, exitCode: number | null): void;
}) => WorkerProcess;

/** Sent by a worker once it listens. */
export type WorkerReady = { address: string; port: number; startValues: unknown; adminApi: AdminApi };

/** For the messages of the start. `panel`: its prefix, or null while it is off. `isEnabled`: a password is set. */
export type AdminApi = { prefix: string; isEnabled: boolean; panel: string | null; publicUrl: string };

export type ParentCalls = {
  /** Resolves when the other workers have applied it. */
  publish(news: ChangeMessage): Promise<void>;
  collect(): Promise<unknown[]>;
  collectLive(sinceMs: number): Promise<unknown[]>;
  takeLoginTry(address: string): number;
  startValues(): unknown;
  /** From now on writes wait for this worker. */
  joined(): void;
  ready(said: WorkerReady): void;
};

export type WorkerCalls = {
  changed(news: ChangeMessage): Promise<void>;
  snapshot(): unknown;
  live(sinceMs: number): unknown;
  leave(): void;
  openSetUp(): Promise<string | null>;
  /** False if the kernel can't. */
  steerAway(steering: { leaving: number; groupSize: number }): boolean;
};

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
/** Before SIGKILL. */
export const STOP_MS = 30_000;
/** A leaving worker still serves, and asks clients to close. */
const LEAVE_MS = 500;
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 30_000;
const STABLE_MS = 30_000;

/** Whether a worker that ends before it listens is started again. */
type Insistence = "never" | "if killed" | "always";

type Worker = {
  index: number;
  process: WorkerProcess;
  rpc: Rpc<WorkerCalls>;
  startedAt: number;
  /** Writes wait for it. */
  hasJoined: boolean;
  isReady: boolean;
  /** Gets no replacement. */
  mayEnd: boolean;
  gone: Promise<void>;
};

export function createSupervisor(deps: {
  count: number;
  spawn: SpawnWorker;
  logger: Logger;
  /** Counts for all workers together. Milliseconds to wait. */
  takeLoginTry(address: string): number;
}) {
  const { count, spawn, logger, takeLoginTry } = deps;
  const workers = new Set<Worker>();
  /** In the kernel's order: as bound; the last takes the place of a closed one. */
  const sockets: Worker[] = [];
  /** With what to do when the supervisor stops before. */
  const respawns = new Map<ReturnType<typeof setTimeout>, () => void>();
  let first: WorkerReady | null = null;
  let startValues: unknown = null;
  let earlyEnds = 0;
  let stopping = false;

  const others = (self: Worker) => [...workers].filter((worker) => worker !== self && worker.hasJoined);

  /** Answers that arrive in time. */
  async function askAll(self: Worker, ask: (worker: Worker) => Promise<unknown>): Promise<unknown[]> {
    const answers = await Promise.allSettled([...others(self), self].map(ask));
    return answers.flatMap((answer) =>
      answer.status === "fulfilled" && answer.value !== null ? [answer.value] : [],
    );
  }

  const handlersFor = (self: () => Worker): Omit<ParentCalls, "joined" | "ready"> => ({
    publish: async (news) => {
      await Promise.allSettled(others(self()).map((worker) => worker.rpc.call("changed", news)));
    },
    collect: () => askAll(self(), ({ rpc }) => rpc.call("snapshot", undefined)),
    collectLive: (sinceMs) => askAll(self(), ({ rpc }) => rpc.call("live", sinceMs)),
    takeLoginTry,
    startValues: () => startValues,
  });

  /** A process that the system refuses counts as ended. */
  function spawnOrEnd(options: Parameters<SpawnWorker>[0]): WorkerProcess {
    try {
      return spawn(options);
    } catch (error) {
      logger.error({ worker: options.index, err: error }, "a worker process can't be started");
      queueMicrotask(() => options.onExit("not started", 1));
      return { send: () => {}, kill: () => {} };
    }
  }

  /** Resolves when it, or one that takes its place, listens. */
  function launch(index: number, insist: Insistence, ready = Promise.withResolvers<Worker>()) {
    const gone = Promise.withResolvers<void>();
    const handlers = handlersFor(() => worker);
    const worker: Worker = {
      index,
      process: spawnOrEnd({ index, port: first?.port ?? null, onMessage, onExit }),
      rpc: createRpc<WorkerCalls>({
        send: (message) => worker.process.send(message),
        handlers: {
          ...handlers,
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
      forgetSocket(worker);
      worker.rpc.close();
      gone.resolve();
      const giveUp = () => ready.reject(new WorkerStartError(description, exitCode ?? 1));
      const isKilled = exitCode === null && !isLate;
      const isWanted = worker.isReady || insist === "always" || (insist === "if killed" && isKilled);
      if (worker.mayEnd || stopping || !isWanted) giveUp();
      else if (worker.isReady) respawn(worker, description);
      else respawn(worker, description, () => void launch(index, insist, ready), giveUp);
    }
    return ready.promise;
  }

  function forgetSocket(worker: Worker): void {
    const place = sockets.indexOf(worker);
    const last = sockets.pop();
    if (place === -1 && last !== undefined) sockets.push(last);
    else if (last !== undefined && last !== worker) sockets[place] = last;
  }

  /** If the new one ends before it listens, its exit leads here again. */
  function respawn(
    dead: Worker,
    description: string,
    again = () => void launch(dead.index, "always").catch(() => {}),
    giveUp = () => {},
  ): void {
    earlyEnds = performance.now() - dead.startedAt < STABLE_MS ? earlyEnds + 1 : 0;
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** Math.max(0, earlyEnds - 1), LONGEST_DELAY_MS);
    logger.error({ worker: dead.index, delayMs }, `a worker ended (${description}); starting a new one`);
    const timer = setTimeout(() => {
      respawns.delete(timer);
      again();
    }, delayMs);
    respawns.set(timer, giveUp);
  }

  /** The kernel must choose others before the old socket closes. */
  async function takeOutOfService(old: Worker, successor: Worker): Promise<void> {
    const steering = { leaving: sockets.indexOf(old), groupSize: sockets.length };
    const isSteered = await successor.rpc.call("steerAway", steering).catch(() => false);
    if (!isSteered)
      logger.warn(
        "this system can't steer new connections away from a stopping worker; a reload may reset a few",
      );
    await old.rpc.call("leave", undefined).catch(() => {});
    await Bun.sleep(LEAVE_MS);
    await drain(old);
  }

  async function drain(worker: Worker): Promise<void> {
    worker.mayEnd = true;
    worker.process.kill("SIGTERM");
    const timer = setTimeout(() => worker.process.kill("SIGKILL"), STOP_MS);
    await worker.gone;
    clearTimeout(timer);
  }

  async function stop(): Promise<void> {
    stopping = true;
    for (const [timer, giveUp] of respawns) {
      clearTimeout(timer);
      giveUp();
    }
    await Promise.all([...workers].map(drain));
  }

  return {
    /** Resolves when all listen. Rejects if one ends by itself before. One that a signal ends is started again. */
    async start(): Promise<WorkerReady> {
      try {
        await launch(0, "if killed");
        const said = first!;
        // One by one, so that `sockets` has the kernel's order.
        for (let index = 1; index < count && !stopping; index++) await launch(index, "if killed");
        return said;
      } catch (error) {
        await stop();
        throw error;
      }
    },
    /** The secret of a one-time address; null when a password is set. */
    async openSetUp(): Promise<string | null> {
      const [worker] = sockets;
      return worker === undefined ? null : worker.rpc.call("openSetUp", undefined);
    },
    /** One by one: a new worker listens before the old one drains. */
    async reload(): Promise<void> {
      logger.info("reloading the workers one after another");
      startValues = null;
      const running = [...workers].filter((worker) => worker.isReady);
      // Those that stay, or drain for long, write into the new log file too.
      for (const worker of running) worker.process.kill("SIGHUP");
      for (const old of running) {
        if (stopping) return;
        // The worker died and is being restarted.
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
        if (workers.has(old)) await takeOutOfService(old, successor);
      }
      logger.info("reloaded");
    },
    stop,
  };
}
