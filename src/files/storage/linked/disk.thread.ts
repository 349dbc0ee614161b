/**
 * The main thread's side of the thread that opens and lists what lies in one linked folder, so that a disk that hangs
 * holds up nothing else. It ends when it was idle for a while, and begins again with the next call.
 */
import { close } from "node:fs";
import { createRpc } from "../../../lib/rpc.ts";
import { withTimeout } from "../../../lib/timeout.ts";
import { workerUrl } from "../../../lib/worker-url.ts";
import type {
  Disk,
  DiskAnswer,
  DiskDifference,
  DiskItem,
  DiskListing,
  DiskNames,
  KnownItem,
  OpenedFile,
} from "../disk.ts";

export type DiskPlace = {
  root: string;
  names: DiskNames;
};

export type DiskCalls = {
  /** Whether a folder is there. */
  look(folder: string): DiskAnswer<true>;
  open(place: DiskPlace): DiskAnswer<OpenedFile>;
  list(place: DiskPlace): DiskAnswer<DiskListing>;
  hasSome(of: { id: number; names: readonly string[] }): boolean;
  compare(of: { id: number; known: readonly KnownItem[] }): DiskDifference;
  rest(id: number): DiskItem[];
  forget(id: number): void;
};

/** Missing in the web's types. */
type RuntimeWorker = Worker & { ref(): void; unref(): void };

const IDLE_MS = 30_000;
/** A disk that does not respond for so long is away. */
const OPEN_MS = 5_000;
const LIST_MS = 120_000;
/** More wait for a disk that hangs. */
const MOST_WAITING = 200;

const AWAY = { where: "root", code: "ETIMEDOUT" } as const;

/** `root` is absolute, without links. */
export function createDiskThread(root: string): Disk {
  let thread: ReturnType<typeof startThread> | undefined;

  const call = <M extends keyof DiskCalls>(method: M, payload: Parameters<DiskCalls[M]>[0]) => {
    thread ??= startThread((ended) => {
      if (thread === ended) thread = undefined;
    });
    return thread.call(method, payload);
  };

  return {
    look: () => withTimeout<DiskAnswer<true>>(OPEN_MS, call("look", root), () => AWAY),

    async open(names) {
      let isLate = false;
      const opened = call("open", { root, names }).then((answer) => {
        if (isLate && "value" in answer) close(answer.value.fd, () => {});
        return answer;
      });
      return withTimeout<DiskAnswer<OpenedFile>>(OPEN_MS, opened, () => {
        isLate = true;
        return AWAY;
      });
    },

    list: (names) => withTimeout<DiskAnswer<DiskListing>>(LIST_MS, call("list", { root, names }), () => AWAY),
    hasSome: (id, names) => call("hasSome", { id, names }),
    compare: (id, known) => call("compare", { id, known }),
    rest: (id) => call("rest", id),
    forget: (id) => call("forget", id).catch(() => undefined),
  };
}

function startThread(onEnd: (ended: object) => void) {
  const worker = new Worker(workerUrl("files/storage/linked/disk.worker.ts"), {
    smol: true,
  }) as RuntimeWorker;
  const rpc = createRpc<DiskCalls>({ send: (message) => worker.postMessage(message), handlers: {} });
  let waiting = 0;
  let idle: ReturnType<typeof setTimeout> | undefined;
  const end = (): void => {
    clearTimeout(idle);
    onEnd(thread);
    rpc.close();
  };
  const thread = {
    async call<M extends keyof DiskCalls>(method: M, payload: Parameters<DiskCalls[M]>[0]) {
      if (waiting >= MOST_WAITING) throw new Error("too many wait for the disk");
      clearTimeout(idle);
      if (waiting++ === 0) worker.ref();
      try {
        return await rpc.call(method, payload);
      } finally {
        if (--waiting === 0) {
          // An idle thread must not keep the process alive.
          worker.unref();
          idle = setTimeout(() => {
            end();
            worker.terminate();
          }, IDLE_MS);
          idle.unref();
        }
      }
    },
  };
  worker.unref();
  worker.addEventListener("message", ({ data }) => rpc.receive(data));
  worker.addEventListener("error", end);
  worker.addEventListener("close", end);
  return thread;
}
