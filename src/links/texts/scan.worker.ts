import { createRpc, type RpcMessage } from "../../lib/rpc.ts";
import { createSweeper } from "../../lib/sweeper.ts";
import { lowerThreadPriority } from "../../lib/thread-priority.ts";
import { createTextBlocks, type TextBlocks } from "./blocks.ts";
import type { ScanCalls } from "./scan.thread.ts";

/** Records leave garbage; a collection in this thread holds up nothing else. */
const SWEPT_CHARACTERS = 2 * 1024 * 1024;
const sweeper = createSweeper(SWEPT_CHARACTERS, () => Bun.gc(true));

let blocks: TextBlocks | undefined;

function opened(): TextBlocks {
  if (blocks === undefined) throw new Error("the file of searched texts is not open");
  return blocks;
}

const handlers: ScanCalls = {
  open(path) {
    lowerThreadPriority();
    blocks = createTextBlocks(path);
  },
  put(texts) {
    const done = opened().put(texts);
    sweeper.worked(texts.length);
    return { ...done, sizes: opened().sizes() };
  },
  find: (needles) => opened().find(needles),
};

const rpc = createRpc({ send: (message) => postMessage(message), handlers });
addEventListener("message", ({ data }: MessageEvent<RpcMessage>) => rpc.receive(data));
