import { steerAway } from "./port-steering.ts";
import { createRpc } from "../../lib/rpc.ts";
import type { Bus, ChangeMessageHandler } from "./changes.ts";
import type { ParentCalls, WorkerCalls, WorkerReady } from "./worker-process.ts";

export type WorkerChannel = ReturnType<typeof createWorkerChannel>;

/** Slightly more than the parent allows the other workers. */
const CALL_MS = 3_000;

type Hooks = {
  snapshot?: () => unknown;
  live?: (sinceMs: number) => unknown;
  server?: { leave(): void; readonly descriptor: number };
  openSetUp?: () => Promise<string | null>;
};

/** `onLost` runs if the parent is gone. */
export function createWorkerChannel(onLost: () => void) {
  const handlers = new Set<ChangeMessageHandler>();
  const hooks: Hooks = {};
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
  const bus: Bus = {
    // The others still read the feed.
    publish: (news) => rpc.call("publish", news).catch(() => {}),
    subscribe(handler) {
      handlers.add(handler);
      return () => handlers.delete(handler);
    },
  };
  return {
    bus,
    /** Writers wait for this worker from now on. Call it before caches load. */
    join: () => rpc.call("joined", undefined),
    ready: (info: WorkerReady) => rpc.call("ready", info),
    collect: () => rpc.call("collect", undefined),
    collectLive: (sinceMs: number) => rpc.call("collectLive", sinceMs),
    /** Counts for all workers together. Milliseconds to wait. Rejects if the parent does not answer. */
    takeLoginTry: (address: string) => rpc.call("takeLoginTry", address),
    /** Made by the first worker; null for that one. */
    startValues: () => rpc.call("startValues", undefined),
    /** Asks for new workers in place of all. */
    renew: () => void rpc.call("renew", undefined).catch(() => {}),
    /** What the parent calls, once it is there. `leave`: this worker's clients should close their connections. */
    on: (more: Hooks) => void Object.assign(hooks, more),
  };
}
