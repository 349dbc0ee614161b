/**
 * Memory through which large uploads pass: blocks that the hash thread and the disk read at the same time, used again
 * when both are done. An upload always gets two: one to fill, while its last one waits for more to be written with.
 * More, so that it need not wait, it gets only while all uploads together have few.
 */
import { lend } from "../../lib/disposable-bytes.ts";

/** Large enough that a message to a thread and a write cost little for each; a multiple of every disk's sector. */
export const BLOCK_BYTES = 256 * 1024;
const OWN_BLOCKS = 2;
/** In use by all uploads together, besides those that each gets anyway. */
const SHARED_BLOCKS = 20;
/** In memory that is made once, and by the system only as far as it is used. */
const ARENA_BLOCKS = 40;

export type Blocks = ReturnType<typeof createBlocks>;

export type Block = {
  /** All of it; shared with threads. */
  readonly memory: Uint8Array;
  /** Its first bytes, for two readers: one disposes of them, the other one calls `release`. */
  lend(length: number): { bytes: Uint8Array; release(): void };
};

export function createBlocks() {
  /** Made with the first large upload. */
  let arena: SharedArrayBuffer | undefined;
  const free: Uint8Array[] = [];
  let inUse = 0;

  function take(): Uint8Array {
    if (arena === undefined) {
      arena = new SharedArrayBuffer(ARENA_BLOCKS * BLOCK_BYTES);
      for (let i = ARENA_BLOCKS; i-- > 0; ) free.push(new Uint8Array(arena, i * BLOCK_BYTES, BLOCK_BYTES));
    }
    return free.pop() ?? new Uint8Array(new SharedArrayBuffer(BLOCK_BYTES));
  }

  const giveBack = (memory: Uint8Array): void => {
    if (memory.buffer === arena) free.push(memory);
  };

  return {
    /** For one upload. */
    open() {
      const mine = new Set<Uint8Array>();
      let wake: (() => void) | undefined;

      const returned = (memory: Uint8Array): void => {
        if (mine.delete(memory)) inUse--;
        giveBack(memory);
        wake?.();
      };

      function newBlock(): Block {
        const memory = take();
        mine.add(memory);
        inUse++;
        return {
          memory,
          lend: (length) => forTwo(memory.subarray(0, length), () => returned(memory)),
        };
      }

      return {
        /** Waits for a block of this upload to come back when there are too many. */
        async take(): Promise<Block> {
          while (mine.size >= OWN_BLOCKS && inUse >= SHARED_BLOCKS) {
            await new Promise<void>((resolve) => (wake = resolve));
          }
          return newBlock();
        },
        /** What has not come back does not count any longer; it is still used again if it comes. */
        close(): void {
          inUse -= mine.size;
          mine.clear();
        },
      };
    },
  };
}

/** A reader that fails may forget to dispose of its bytes. */
const forgotten = new FinalizationRegistry<() => void>((release) => release());

function forTwo(bytes: Uint8Array, giveBack: () => void) {
  const release = countdown(2, giveBack);
  forgotten.register(bytes, release, bytes);
  lend(bytes, () => {
    forgotten.unregister(bytes);
    release();
  });
  return { bytes, release };
}

/** In a scope of its own, so that it does not keep the bytes whose end it waits for. */
function countdown(times: number, end: () => void): () => void {
  let left = times;
  return () => {
    left--;
    if (left === 0) end();
  };
}
