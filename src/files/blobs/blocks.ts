/**
 * Memory of large uploads: blocks that the hash thread and the disk read concurrently. An upload gets more than two
 * only while large ones are free. Blocks of 256 KiB took 25 % more processor time than those of 1 MiB.
 */
import { lend } from "../../lib/disposable-bytes.ts";

/** All blocks fill whole disk sectors. */
export const BLOCK_BYTES = 256 * 1024;
const LARGE_BYTES = 4 * BLOCK_BYTES;
const OWN_BLOCKS = 2;
/** First come, first served. */
const LARGE_BLOCKS = 5;
/** The system supplies only the used pages of the arena. */
const SMALL_BLOCKS = 40;

export type Blocks = ReturnType<typeof createBlocks>;

export type Block = {
  readonly memory: Uint8Array;
  /** One reader disposes of the bytes, the other calls `release`. */
  lend(length: number): { bytes: Uint8Array; release(): void };
};

export function createBlocks() {
  let arena: SharedArrayBuffer | undefined;
  const free = { large: [] as Uint8Array[], small: [] as Uint8Array[] };
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
        /** Waits while the upload has two blocks and no large one is free. */
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
        /** Blocks that return later are reused. */
        close: () => mine.forEach(forget),
      };
    },
  };
}

const isLarge = (memory: Uint8Array): boolean => memory.byteLength === LARGE_BYTES;

/** Returns bytes that a failed reader did not dispose of. */
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

/** Its own scope, so the callback does not keep the bytes alive. */
function countdown(times: number, end: () => void): () => void {
  let left = times;
  return () => {
    left--;
    if (left === 0) end();
  };
}
