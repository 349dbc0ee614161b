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
  DiskMove,
  DiskNames,
  DiskPart,
  DiskState,
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
  makeFolder(one: DiskPlace & { inode: string | null }): DiskAnswer<true>;
  move(one: DiskMove & { root: string }): DiskAnswer<true>;
  discard(of: HiddenName): DiskAnswer<true>;
  sweep(root: string): DiskAnswer<boolean>;
  openPart(of: HiddenName & { received: number | null }): DiskAnswer<{ fd: number }>;
  settlePart(of: HiddenName & { modifiedAt: number | null }): DiskAnswer<DiskState>;
  parts(root: string): DiskAnswer<DiskPart[]>;
  removePart(of: HiddenName): DiskAnswer<true>;
};

type HiddenName = { root: string; name: string };

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

  const soon = <T>(answer: Promise<DiskAnswer<T>>) => withTimeout<DiskAnswer<T>>(OPEN_MS, answer, () => AWAY);

  /** A descriptor that comes too late is closed. */
  function opening<T extends { fd: number }>(answer: Promise<DiskAnswer<T>>): Promise<DiskAnswer<T>> {
    let isLate = false;
    const opened = answer.then((one) => {
      if (isLate && "value" in one) close(one.value.fd, () => {});
      return one;
    });
    return withTimeout<DiskAnswer<T>>(OPEN_MS, opened, () => {
      isLate = true;
      return AWAY;
    });
  }

  return {
    look: () => soon(call("look", root)),
    open: (names) => opening<OpenedFile>(call("open", { root, names })),

    list: (names) => withTimeout<DiskAnswer<DiskListing>>(LIST_MS, call("list", { root, names }), () => AWAY),
    hasSome: (id, names) => call("hasSome", { id, names }),
    compare: (id, known) => call("compare", { id, known }),
    rest: (id) => call("rest", id),
    forget: (id) => call("forget", id).catch(() => undefined),

    makeFolder: (one) => soon(call("makeFolder", { root, ...one })),
    move: (one) => soon(call("move", { root, ...one })),
    discard: (name) => soon(call("discard", { root, name })),
    sweep: () => withTimeout<DiskAnswer<boolean>>(LIST_MS, call("sweep", root), () => AWAY),
    openPart: (name, received) => opening<{ fd: number }>(call("openPart", { root, name, received })),
    settlePart: (name, modifiedAt) => soon(call("settlePart", { root, name, modifiedAt })),
    parts: () => withTimeout<DiskAnswer<DiskPart[]>>(LIST_MS, call("parts", root), () => AWAY),
    removePart: (name) => soon(call("removePart", { root, name })),
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
