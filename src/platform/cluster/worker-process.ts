/** A worker process, as its parent sees it. */
import type { Logger } from "../../lib/logger.ts";
import type { Rpc } from "../../lib/rpc.ts";
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

/**
 * What the messages of the start name. `panel`: its prefix, or null while it is off. `isEnabled`: a password is set.
 */
export type AdminApi = { prefix: string; isEnabled: boolean; panel: string | null; publicUrl: string };

export type ParentCalls = {
  /** Resolves when the other workers have applied it. */
  publish(news: ChangeMessage): Promise<void>;
  collect(): Promise<unknown[]>;
  collectLive(sinceMs: number): Promise<unknown[]>;
  takeLoginTry(address: string): number;
  startValues(): unknown;
  /** The worker needs a successor, as after a reload. */
  renew(): void;
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

export type Worker = {
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

/** Before SIGKILL. */
export const STOP_MS = 30_000;
/** A leaving worker still serves, and asks clients to close. */
const LEAVE_MS = 500;

/** A process that the system refuses counts as ended. */
export function spawnOrEnd(
  spawn: SpawnWorker,
  logger: Logger,
  options: Parameters<SpawnWorker>[0],
): WorkerProcess {
  try {
    return spawn(options);
  } catch (error) {
    logger.error({ worker: options.index, err: error }, "a worker process can't be started");
    queueMicrotask(() => options.onExit("not started", 1));
    return { send: () => {}, kill: () => {} };
  }
}

/** Calls of a worker that concern the others, and those that `all` handles for any. */
export function callsAmong(workers: ReadonlySet<Worker>, all: Pick<ParentCalls, "takeLoginTry" | "renew">) {
  const others = (self: Worker) => [...workers].filter((worker) => worker !== self && worker.hasJoined);

  /** Replies that arrive in time. */
  async function askAll(self: Worker, ask: (worker: Worker) => Promise<unknown>): Promise<unknown[]> {
    const outcomes = await Promise.allSettled([...others(self), self].map(ask));
    return outcomes.flatMap((outcome) =>
      outcome.status === "fulfilled" && outcome.value !== null ? [outcome.value] : [],
    );
  }

  return (self: () => Worker): Omit<ParentCalls, "startValues" | "joined" | "ready"> => ({
    ...all,
    publish: async (news) => {
      await Promise.allSettled(others(self()).map((worker) => worker.rpc.call("changed", news)));
    },
    collect: () => askAll(self(), ({ rpc }) => rpc.call("snapshot", undefined)),
    collectLive: (sinceMs) => askAll(self(), ({ rpc }) => rpc.call("live", sinceMs)),
  });
}

/** The kernel must choose others before the old socket closes. */
export async function takeOutOfService(
  old: Worker,
  successor: Worker,
  sockets: readonly Worker[],
  logger: Logger,
): Promise<void> {
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

export async function drain(worker: Worker): Promise<void> {
  worker.mayEnd = true;
  worker.process.kill("SIGTERM");
  const timer = setTimeout(() => worker.process.kill("SIGKILL"), STOP_MS);
  await worker.gone;
  clearTimeout(timer);
}
