/**
 * The main thread's end of the hash thread, which is started with the first large upload. It answers in the order in
 * which it was asked. When it dies, what it was hashing has no hash (null), and the next hash has another thread.
 */
// oxlint-disable unicorn/require-post-message-target-origin -- that is for windows; a worker has no origin
import { workerUrl } from "../../lib/worker-url.ts";

export type HashRequest =
  | { type: "memory"; memory: SharedArrayBuffer }
  | { type: "update"; hash: number; bytes: Uint8Array }
  | { type: "update"; hash: number; at: number; length: number }
  | { type: "digest"; hash: number }
  | { type: "forget"; hash: number };

export type ThreadHash = {
  /** Resolves when the bytes have been read; until then they must stay, where they are shared. */
  update(bytes: Uint8Array): Promise<void>;
  /** 64 hex digits; null when the thread is gone. Ends the hash. */
  digest(): Promise<string | null>;
  /** There will be no digest. */
  forget(): void;
};

/** What the types of the web leave out. */
type RuntimeWorker = Worker & { ref(): void; unref(): void };

type Thread = {
  ask(request: HashRequest): Promise<string | null>;
  tell(request: HashRequest): void;
  update(hash: number, bytes: Uint8Array): Promise<string | null>;
};

export function createHashThread() {
  let thread: Thread | undefined;
  let lastHash = 0;

  function start(): Thread {
    const worker = new Worker(workerUrl("files/blobs/hash.worker.ts"), { smol: true }) as RuntimeWorker;
    const asked: ((answer: string | null) => void)[] = [];
    let isAlive = true;
    // While it has nothing to do, a process need not wait for it.
    worker.unref();
    worker.addEventListener("message", ({ data }: MessageEvent<string | null>) => {
      asked.shift()?.(data);
      if (asked.length === 0) worker.unref();
    });
    const end = (): void => {
      isAlive = false;
      if (thread === started) thread = undefined;
      for (const answer of asked.splice(0)) answer(null);
    };
    worker.addEventListener("error", end);
    worker.addEventListener("close", end);
    const tell = (request: HashRequest): void => {
      if (isAlive) worker.postMessage(request);
    };
    const ask = (request: HashRequest): Promise<string | null> =>
      new Promise((resolve) => {
        if (!isAlive) return resolve(null);
        if (asked.push(resolve) === 1) worker.ref();
        worker.postMessage(request);
      });
    let memory: SharedArrayBuffer | undefined;
    const started: Thread = {
      ask,
      tell,
      update(hash, bytes) {
        const { buffer, byteOffset: at, byteLength: length } = bytes;
        if (!(buffer instanceof SharedArrayBuffer)) return ask({ type: "update", hash, bytes });
        if (memory === undefined) tell({ type: "memory", memory: (memory = buffer) });
        return ask({ type: "update", hash, ...(buffer === memory ? { at, length } : { bytes }) });
      },
    };
    return started;
  }

  return {
    begin(): ThreadHash {
      const { ask, tell, update } = (thread ??= start());
      const hash = ++lastHash;
      return {
        update: async (bytes) => void (await update(hash, bytes)),
        digest: () => ask({ type: "digest", hash }),
        forget: () => tell({ type: "forget", hash }),
      };
    },
  };
}
