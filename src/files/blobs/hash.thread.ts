/** The main thread's side of the hash thread. If it ends, its open hashes are lost and the next hash starts another. */
import { createRpc } from "../../lib/rpc.ts";
import { workerUrl } from "../../lib/worker-url.ts";

type Piece = { hash: number; bytes: Uint8Array } | { hash: number; at: number; length: number };

export type HashCalls = {
  /** Sent once: receiving shared memory is expensive for the garbage collector. */
  memory(memory: SharedArrayBuffer): void;
  update(piece: Piece): void;
  digest(hash: number): string;
  forget(hash: number): void;
};

export type ThreadHash = ReturnType<HashThread["begin"]>;

/** Missing in the web's types. */
type RuntimeWorker = Worker & { ref(): void; unref(): void };

export type HashThread = ReturnType<typeof createHashThread>;

export function createHashThread() {
  let thread: ReturnType<typeof startThread> | undefined;
  let lastHash = 0;

  function start() {
    const started = startThread(() => {
      if (thread === started) thread = undefined;
    });
    return started;
  }

  return {
    begin() {
      const { ask, notify, pieceOf } = (thread ??= start());
      const hash = ++lastHash;
      return {
        /** Shared bytes must not change until it resolves. */
        update: async (bytes: Uint8Array): Promise<void> => void (await ask("update", pieceOf(hash, bytes))),
        /** 64 hex digits, or null if the thread has ended. Ends the hash. */
        digest: (): Promise<string | null> => ask("digest", hash),
        forget: (): void => notify("forget", hash),
      };
    },
  };
}

function startThread(onEnd: () => void) {
  const worker = new Worker(workerUrl("files/blobs/hash.worker.ts"), { smol: true }) as RuntimeWorker;
  const rpc = createRpc<HashCalls>({ send: (message) => worker.postMessage(message), handlers: {} });
  let pending = 0;
  // An idle thread must not keep the process alive.
  worker.unref();
  worker.addEventListener("message", ({ data }) => rpc.receive(data));
  const end = (): void => {
    onEnd();
    rpc.close();
  };
  worker.addEventListener("error", end);
  worker.addEventListener("close", end);
  let memory: SharedArrayBuffer | undefined;
  return {
    async ask<M extends keyof HashCalls>(method: M, payload: Parameters<HashCalls[M]>[0]) {
      if (pending++ === 0) worker.ref();
      const result = await rpc.call(method, payload).catch(() => null);
      if (--pending === 0) worker.unref();
      return result;
    },
    notify: rpc.notify,
    pieceOf(hash: number, bytes: Uint8Array): Piece {
      const { buffer, byteOffset: at, byteLength: length } = bytes;
      if (!(buffer instanceof SharedArrayBuffer)) return { hash, bytes };
      if (memory === undefined) rpc.notify("memory", (memory = buffer));
      return buffer === memory ? { hash, at, length } : { hash, bytes };
    },
  };
}
