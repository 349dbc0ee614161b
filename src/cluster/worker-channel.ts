/** A worker's end of the channel to its supervisor: see supervisor.ts. */
import { steerAway } from "../lib/port-steering.ts";
import { createRpc } from "../lib/rpc.ts";
import type { Bus, ChangeMessageHandler } from "./changes.ts";
import type { ParentCalls, WorkerCalls, WorkerReady } from "./supervisor.ts";

export type WorkerChannel = {
  bus: Bus;
  /** From here on writers wait until this worker has heard of their changes. Call it before caches are loaded. */
  join(): Promise<void>;
  ready(info: WorkerReady): Promise<void>;
  /** Called when this worker is about to be replaced: its clients should close their connections. */
  onLeave(leave: () => void): void;
  /** What each worker's `snapshot` gives, this one's too. */
  collect(): Promise<unknown[]>;
  onSnapshot(snapshot: () => unknown): void;
  /** What each worker's `live` says of the time since that instant, this one's too. */
  collectLive(sinceMs: number): Promise<unknown[]>;
  onLive(live: (sinceMs: number) => unknown): void;
  /** Counts a login try for all workers: milliseconds to wait. Rejects when the parent does not answer. */
  takeLoginTry(address: string): Promise<number>;
  /** The values of settings that need a restart, as the first worker found them; null for the first itself. */
  startValues(): Promise<unknown>;
};

/** A little more than the parent gives the other workers. */
const CALL_MS = 3_000;

/** Of the running process, which was spawned with a channel; `onLost` is called when the parent is gone. */
export function createWorkerChannel(onLost: () => void): WorkerChannel {
  const handlers = new Set<ChangeMessageHandler>();
  const hooks: { snapshot?: () => unknown; live?: (sinceMs: number) => unknown; leave?: () => void } = {};
  const calls: WorkerCalls = {
    changed: async (news) => {
      await Promise.all([...handlers].map((handler) => handler(news)));
    },
    snapshot: () => hooks.snapshot?.() ?? null,
    live: (sinceMs) => hooks.live?.(sinceMs) ?? null,
    leave: () => hooks.leave?.(),
    steerAway: ({ port, leaving, groupSize }) => steerAway(port, leaving, groupSize),
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
      // The others read the feed all the same when the parent can't tell them.
      publish: (news) => rpc.call("publish", news).catch(() => {}),
      subscribe(handler) {
        handlers.add(handler);
        return () => handlers.delete(handler);
      },
    },
    join: () => rpc.call("joined", undefined),
    ready: (info) => rpc.call("ready", info),
    collect: () => rpc.call("collect", undefined),
    onLeave: (leave) => void (hooks.leave = leave),
    onSnapshot: (snapshot) => void (hooks.snapshot = snapshot),
    collectLive: (sinceMs) => rpc.call("collectLive", sinceMs),
    onLive: (live) => void (hooks.live = live),
    takeLoginTry: (address) => rpc.call("takeLoginTry", address),
    startValues: () => rpc.call("startValues", undefined),
  };
}
