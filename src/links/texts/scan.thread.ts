/** The blocks in their own thread of low priority. After `close`, or if the thread dies, calls reject. */
import { createRpc } from "../../lib/rpc.ts";
import { workerUrl } from "../../lib/worker-url.ts";
import type { PutTexts, TextSizes } from "./blocks.ts";

/** `put` and `find`: see blocks.ts. */
export type ScanCalls = {
  open(path: string): void;
  put(texts: string): PutTexts & { sizes: TextSizes };
  find(needles: readonly string[]): Uint8Array;
};

export type ScanThread = {
  put(texts: string): Promise<PutTexts>;
  find(needles: readonly string[]): Promise<Uint8Array>;
  /** As after the last `put`; nothing once closed. */
  sizes(): TextSizes;
  close(): void;
};

const TIMEOUT_MS = 30_000;
const NOTHING: TextSizes = { file: 0, memory: 0 };

export function openScanThread(path: string): ScanThread {
  const worker = new Worker(workerUrl("links/texts/scan.worker.ts"), { smol: true });
  const rpc = createRpc<ScanCalls>({
    send: (message) => worker.postMessage(message),
    handlers: {},
    timeoutMs: TIMEOUT_MS,
  });
  worker.addEventListener("message", ({ data }: MessageEvent) => rpc.receive(data));
  worker.addEventListener("error", ({ message }) => rpc.close(new Error(message)));
  worker.addEventListener("close", () => rpc.close());
  const opened = rpc.call("open", path);
  opened.catch(() => {});
  let isClosed = false;
  let sizes = NOTHING;
  return {
    async put(texts) {
      await opened;
      const done = await rpc.call("put", texts);
      sizes = done.sizes;
      return done;
    },
    async find(needles) {
      await opened;
      return rpc.call("find", needles);
    },
    sizes: () => (isClosed ? NOTHING : sizes),
    close() {
      isClosed = true;
      rpc.close();
      worker.terminate();
    },
  };
}
