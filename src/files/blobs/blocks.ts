/**
 * Memory through which large uploads pass: blocks that the hash thread and the disk read at the same time, used again
 * when both are done. An upload always gets two blocks: one to fill while its last one waits for more to be written
 * with. It gets more, so that it need not wait, only while all uploads together have few. Those first few are large,
 * because each block costs a message to the hash thread, a write and their switches between threads: 1 GiB in blocks
 * of 256 KiB took a quarter more processor time than in blocks of 1 MiB.
 */
import { lend } from "../../lib/disposable-bytes.ts";

/** A small block; a large one is a multiple. Both are multiples of every disk's sector. */
export const BLOCK_BYTES = 256 * 1024;
const LARGE_BYTES = 4 * BLOCK_BYTES;
const OWN_BLOCKS = 2;
/** For all uploads together, and for whoever comes first. */
const LARGE_BLOCKS = 5;
/** Besides the large ones, in memory that is made once and that the system supplies only as far as it is used. */
const SMALL_BLOCKS = 40;

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
  const free = { large: [] as Uint8Array[], small: [] as Uint8Array[] };
  /** In use by uploads that are open. */
  let largeInUse = 0;

  function makeArena(): SharedArrayBuffer {
    const memory = new SharedArrayBuffer(LARGE_BLOCKS * LARGE_BYTES + SMALL_BLOCKS * BLOCK_BYTES);
    for (let at = memory.byteLength; at > 0; ) {
      const isSmall = free.small.length < SMALL_BLOCKS;
      at -= isSmall ? BLOCK_BYTES : LARGE_BYTES;
      const list = isSmall ? free.small : free.large;
      list.push(new Uint8Array(memory, at, isSmall ? BLOCK_BYTES : LARGE_BYTES));
    }
    return memory;
  }

  const newBlock = (bytes: number): Uint8Array => new Uint8Array(new SharedArrayBuffer(bytes));

  function take(): Uint8Array {
    if (largeInUse >= LARGE_BLOCKS) return free.small.pop() ?? newBlock(BLOCK_BYTES);
    return free.large.pop() ?? newBlock(LARGE_BYTES);
  }

  const giveBack = (memory: Uint8Array): void => {
    if (memory.buffer === arena) (isLarge(memory) ? free.large : free.small).push(memory);
  };

  return {
    /** For one upload. */
    open() {
      const mine = new Set<Uint8Array>();
      let wake: (() => void) | undefined;

      const forget = (memory: Uint8Array): void => {
        if (mine.delete(memory) && isLarge(memory)) largeInUse--;
      };
      const returned = (memory: Uint8Array): void => {
        forget(memory);
        giveBack(memory);
        wake?.();
      };

      return {
        /** Waits for a block of this upload to come back when there are too many. */
        async take(): Promise<Block> {
          arena ??= makeArena();
          while (mine.size >= OWN_BLOCKS && largeInUse >= LARGE_BLOCKS) {
            await new Promise<void>((resolve) => (wake = resolve));
          }
          const memory = take();
          mine.add(memory);
          if (isLarge(memory)) largeInUse++;
          return {
            memory,
            lend: (length) => forTwo(memory.subarray(0, length), () => returned(memory)),
          };
        },
        /** What has not come back does not count any longer; it is still used again if it comes. */
        close: () => mine.forEach(forget),
      };
    },
  };
}

const isLarge = (memory: Uint8Array): boolean => memory.byteLength === LARGE_BYTES;

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
