import { FFIType, ptr } from "bun:ffi";
import { openLibc } from "../../lib/libc.ts";
import { createRpc } from "../../lib/rpc.ts";
import type { Bus, ChangeMessageHandler } from "./changes.ts";
import type { ParentCalls, WorkerCalls, WorkerReady } from "./worker-process.ts";

const SOL_SOCKET = 1;
const SO_ATTACH_REUSEPORT_CBPF = 51;
const RANDOM = 0xff_ff_f0_00 + 56;

/**
 * Takes one process out of a SO_REUSEPORT group without losing a connection.
 *
 * Closing a socket of the group resets its queued connections. So a classic BPF program first selects random other
 * sockets, and the leaving one drains its queue. Sockets stand in the order of binding; the last takes the place of a
 * closed one. The kernel ignores a program that selects a missing place. Source: socket(7), SO_ATTACH_REUSEPORT_CBPF;
 * net/core/sock_reuseport.c.
 *
 * @param descriptor of another listening socket of the group. False if the system can't: a few connections may be reset
 */
function steerAway(descriptor: number, leaving: number, groupSize: number): boolean {
  if (process.platform !== "linux" || groupSize < 2) return false;
  try {
    return attach(descriptor, programAvoiding(leaving, groupSize));
  } catch {
    return false;
  }
}

/** `return random % (n - 1)`, plus one from `leaving` on. */
function programAvoiding(leaving: number, groupSize: number): Uint8Array {
  const instructions = [
    { code: 0x20, jumpTrue: 0, jumpFalse: 0, k: RANDOM }, // A = random
    { code: 0x94, jumpTrue: 0, jumpFalse: 0, k: groupSize - 1 }, // A %= n - 1
    { code: 0x35, jumpTrue: 0, jumpFalse: 1, k: leaving }, // if A >= leaving
    { code: 0x04, jumpTrue: 0, jumpFalse: 0, k: 1 }, //   A += 1
    { code: 0x16, jumpTrue: 0, jumpFalse: 0, k: 0 }, // return A
  ];
  const bytes = new Uint8Array(instructions.length * 8);
  const view = new DataView(bytes.buffer);
  for (const [at, { code, jumpTrue, jumpFalse, k }] of instructions.entries()) {
    view.setUint16(at * 8, code, true);
    view.setUint8(at * 8 + 2, jumpTrue);
    view.setUint8(at * 8 + 3, jumpFalse);
    view.setUint32(at * 8 + 4, k, true);
  }
  return bytes;
}

function attach(descriptor: number, program: Uint8Array): boolean {
  const { i32, u32 } = FFIType;
  const libc = openLibc({ setsockopt: { args: [i32, i32, i32, FFIType.ptr, u32], returns: i32 } });
  // struct sock_fprog: the number of instructions, padding, their address.
  const argument = new DataView(new ArrayBuffer(16));
  argument.setUint16(0, program.length / 8, true);
  argument.setBigUint64(8, BigInt(ptr(program)), true);
  return (
    libc?.setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, ptr(argument), argument.byteLength) ===
    0
  );
}

export type WorkerChannel = ReturnType<typeof createWorkerChannel>;

/** Slightly more than the parent allows the other workers. */
const CALL_MS = 3_000;

type Hooks = {
  snapshot?: () => unknown;
  live?: (sinceMs: number) => unknown;
  /** In each process in the same order. */
  servers?: readonly { leave(): void; readonly descriptor: number }[];
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
    leave: () => hooks.servers?.forEach((server) => server.leave()),
    openSetUp: async () => (await hooks.openSetUp?.()) ?? null,
    steerAway: ({ leaving, groupSize }) =>
      hooks.servers?.every(({ descriptor }) => steerAway(descriptor, leaving, groupSize)) ?? false,
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
    /** Counts for all workers together. Milliseconds to wait. Rejects if the parent does not respond. */
    takeLoginTry: (address: string) => rpc.call("takeLoginTry", address),
    /** Made by the first worker; null for that one. */
    startValues: () => rpc.call("startValues", undefined),
    /** Asks for new workers in place of all. */
    renew: () => void rpc.call("renew", undefined).catch(() => {}),
    /** What the parent calls, once it is there. `leave`: this worker's clients should close their connections. */
    on: (more: Hooks) => void Object.assign(hooks, more),
  };
}
