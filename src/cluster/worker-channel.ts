import { steerAway } from "../lib/port-steering.ts";
import { createRpc } from "../lib/rpc.ts";
import type { Bus, ChangeMessageHandler } from "./changes.ts";
import type { ParentCalls, WorkerCalls, WorkerReady } from "./supervisor.ts";

export type WorkerChannel = {
  bus: Bus;
  /** Writers wait for this worker from now on. Call it before caches load. */
  join(): Promise<void>;
  ready(info: WorkerReady): Promise<void>;
  /** `leave` is called when this worker's clients should close their connections. */
  listens(server: { leave(): void; readonly descriptor: number }): void;
  collect(): Promise<unknown[]>;
  onSnapshot(snapshot: () => unknown): void;
  collectLive(sinceMs: number): Promise<unknown[]>;
  onLive(live: (sinceMs: number) => unknown): void;
  /** Counts for all workers together. Milliseconds to wait. Rejects if the parent does not answer. */
  takeLoginTry(address: string): Promise<number>;
  onOpenSetUp(open: () => Promise<string | null>): void;
  /** Made by the first worker; null for that one. */
  startValues(): Promise<unknown>;
};

/** Slightly more than the parent allows the other workers. */
const CALL_MS = 3_000;

/** `onLost` runs if the parent is gone. */
export function createWorkerChannel(onLost: () => void): WorkerChannel {
  const handlers = new Set<ChangeMessageHandler>();
  const hooks: {
    snapshot?: () => unknown;
    live?: (sinceMs: number) => unknown;
    server?: { leave(): void; readonly descriptor: number };
    openSetUp?: () => Promise<string | null>;
  } = {};
  const calls: WorkerCalls = {
    changed: async (news) => {
      await Promise.all([...handlers].map((handler) => handler(news)));
    },
    snapshot: () => hooks.snapshot?.() ?? null,
    live: (sinceMs) => hooks.live?.(sinceMs) ?? null,
    leave: () => hooks.server?.leave(),
    openSetUp: async () => (await hooks.openSetUp?.()) ?? null,
    steerAway: ({ leaving, groupSize }) =>
      hooks.server !== undefined && steerAway(hooks.server.descriptor, leaving, groupSize),
  };
  const rpc = createRpc<ParentCalls>({
    send: (message) => void process.send?.(message),
    handlers: calls,
    timeoutMs: CALL_MS,
  });
  process.on("message", rpc.receive);
  const lose = () => {
    rpc.close();
    onLost();
  };
  process.on("disconnect", lose);
  if (!process.connected) lose();
  return {
    bus: {
      // The others still read the feed.
      publish: (news) => rpc.call("publish", news).catch(() => {}),
      subscribe(handler) {
        handlers.add(handler);
        return () => handlers.delete(handler);
      },
    },
    join: () => rpc.call("joined", undefined),
    ready: (info) => rpc.call("ready", info),
    collect: () => rpc.call("collect", undefined),
    listens: (server) => void (hooks.server = server),
    onSnapshot: (snapshot) => void (hooks.snapshot = snapshot),
    collectLive: (sinceMs) => rpc.call("collectLive", sinceMs),
    onOpenSetUp: (open) => void (hooks.openSetUp = open),
    onLive: (live) => void (hooks.live = live),
    takeLoginTry: (address) => rpc.call("takeLoginTry", address),
    startValues: () => rpc.call("startValues", undefined),
  };
}
