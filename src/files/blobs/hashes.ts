/**
 * SHA-256 of passing uploads. Small complete files are hashed here, the rest in the hash thread, so redirects do not
 * wait. With one core the thread would only add context switches. The hash of a resumable upload stays in this process
 * between requests; if other processes received bytes, the end reads them all again.
 */
import { availableParallelism } from "node:os";
import { dispose, lend } from "../../lib/disposable-bytes.ts";
import { appError } from "../../lib/errors.ts";
import { createHashThread, type HashThread, type ThreadHash } from "./hash.thread.ts";
import type { Staging } from "../storage/driver.ts";

export type Meter = ReturnType<typeof createMeter>;

/** About 100 bytes each. */
const KEPT = 10_000;
/** Largest size whose hash costs less than a message to the thread. */
const SMALL_BYTES = 128 * 1024;

export function createHashes({ cores = availableParallelism() } = {}) {
  const kept = new Map<string, Meter>();
  const thread = cores > 1 ? createHashThread() : null;

  /** Takes the meter out, or null unless it covers exactly `bytes`. */
  function take(id: string, bytes: number): Meter | null {
    const meter = kept.get(id);
    kept.delete(id);
    if (meter?.bytes === bytes) return meter;
    meter?.drop();
    return null;
  }

  return {
    blocks: createBlocks(),
    create: (): Meter => createMeter(thread),
    put(id: string, meter: Meter): void {
      kept.set(id, meter);
      if (kept.size <= KEPT) return;
      const [oldest, dropped] = kept.entries().next().value!;
      kept.delete(oldest);
      dropped.drop();
    },
    take,
  };
}

/** A hash of the first `bytes` bytes. */
function createMeter(thread: HashThread | null) {
  const here = new Bun.CryptoHasher("sha256");
  let there: ThreadHash | undefined;
  let bytes = 0;
  return {
    get bytes(): number {
      return bytes;
    },
    /** The last bytes, if few. */
    finishWith(chunks: readonly Uint8Array[]): void {
      for (const chunk of chunks) {
        here.update(chunk);
        bytes += chunk.byteLength;
      }
    },
    /** Shared bytes must not change until it resolves. */
    async update(chunk: Uint8Array): Promise<void> {
      bytes += chunk.byteLength;
      if (thread === null) here.update(chunk);
      else await (there ??= thread.begin()).update(chunk);
    },
    /** 64 hex digits, or null if the hash was lost. Ends the meter. */
    digest: async (): Promise<string | null> => (there === undefined ? here.digest("hex") : there.digest()),
    drop: (): void => there?.forget(),
  };
}

/** Reads the bytes again unless the meter covers them. */
export async function digestOf(staging: Staging, meter: Meter | null): Promise<string> {
  const isWhole = meter !== null && meter.bytes === staging.received;
  const metered = isWhole ? await meter.digest() : null;
  return metered ?? sha256Of(staging.read());
}

/** Hex digits. */
export async function sha256Of(source: AsyncIterable<Uint8Array>): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  for await (const chunk of source) hasher.update(chunk);
  return hasher.digest("hex");
}

type Measuring = {
  /** The hash of the bytes so far, or null if they are hashed elsewhere. */
  meter: Meter | null;
  blocks: Blocks;
  from: number;
  /** The source is the whole file. */
  isWhole: boolean;
  /** 0: no limit. */
  maxBytes: number;
  signal?: AbortSignal | undefined;
};

/**
 * Large sources become blocks that end at multiples of their size in the upload; the consumer disposes of them. If the
 * source throws, its earlier bytes come first. @throws FileTooLargeForPolicy
 */
export async function* measured(
  source: AsyncIterable<Uint8Array>,
  { meter, blocks, isWhole, ...limits }: Measuring,
): AsyncGenerator<Uint8Array> {
  const check = createLimit(limits);
  const early: Uint8Array[] = [];
  let earlyBytes = 0;
  let gather: Gather | undefined;
  let failure: { reason: unknown } | undefined;
  try {
    try {
      for await (const chunk of source) {
        check(chunk);
        if (gather === undefined) {
          early.push(chunk);
          earlyBytes += chunk.byteLength;
          if (earlyBytes <= SMALL_BYTES) continue;
          gather = createGather(blocks, meter, limits.from);
          for (const one of early.splice(0)) yield* gather.add(one);
        } else if (gather.fits(chunk)) gather.put(chunk);
        else yield* gather.add(chunk);
      }
    } catch (reason) {
      failure = { reason };
    }
    if (gather !== undefined) yield* gather.rest();
    else if (isWhole) meter?.finishWith(early);
    else for (const chunk of early) await meter?.update(chunk);
    yield* early;
    if (failure !== undefined) throw failure.reason;
  } finally {
    gather?.close();
  }
}

function createLimit({ from, maxBytes, signal }: Pick<Measuring, "from" | "maxBytes" | "signal">) {
  let bytes = from;
  return (chunk: Uint8Array): void => {
    signal?.throwIfAborted();
    bytes += chunk.byteLength;
    if (maxBytes === 0 || bytes <= maxBytes) return;
    throw appError("FileTooLargeForPolicy", `The file is larger than the limit of ${maxBytes} bytes.`);
  };
}

type Gather = ReturnType<typeof createGather>;

function createGather(blocks: Blocks, meter: Meter | null, from: number) {
  const lender = blocks.open();
  let block: Block | undefined;
  let filled = 0;
  /** Every block but the first starts at a multiple of BLOCK_BYTES. */
  const missing = from % BLOCK_BYTES;
  let isFirst = true;
  let end = 0;

  async function takeBlock(): Promise<Block> {
    const taken = await lender.take();
    end = taken.memory.byteLength - (isFirst ? missing : 0);
    isFirst = false;
    return taken;
  }

  function handOn(full: Block): Uint8Array {
    const { bytes, release } = full.lend(filled);
    if (meter === null) release();
    else void meter.update(bytes).then(release);
    block = undefined;
    filled = 0;
    return bytes;
  }

  return {
    /** With room to spare. */
    fits: (chunk: Uint8Array): boolean => block !== undefined && filled + chunk.byteLength < end,
    put(chunk: Uint8Array): void {
      block!.memory.set(chunk, filled);
      filled += chunk.byteLength;
      dispose(chunk);
    },
    async *add(chunk: Uint8Array): AsyncGenerator<Uint8Array, void> {
      for (let at = 0; at < chunk.byteLength; ) {
        block ??= await takeBlock();
        const piece = chunk.subarray(at, at + end - filled);
        block.memory.set(piece, filled);
        filled += piece.byteLength;
        at += piece.byteLength;
        if (filled === end) yield handOn(block);
      }
      dispose(chunk);
    },
    *rest(): Generator<Uint8Array, void> {
      if (block !== undefined && filled > 0) yield handOn(block);
    },
    close(): void {
      if (block !== undefined) {
        const { bytes, release } = block.lend(0);
        release();
        dispose(bytes);
      }
      lender.close();
    },
  };
}

/** All blocks fill whole disk sectors. */
const BLOCK_BYTES = 256 * 1024;
const LARGE_BYTES = 4 * BLOCK_BYTES;
const OWN_BLOCKS = 2;
/** First come, first served. */
const LARGE_BLOCKS = 5;
/** The system supplies only the used pages of the arena. */
const SMALL_BLOCKS = 40;

type Blocks = ReturnType<typeof createBlocks>;

type Block = {
  readonly memory: Uint8Array;
  /** One reader disposes of the bytes, the other calls `release`. */
  lend(length: number): { bytes: Uint8Array; release(): void };
};

/**
 * Memory of large uploads: blocks that the hash thread and the disk read concurrently. An upload gets more than two
 * only while large ones are free. Blocks of 256 KiB took 25 % more processor time than those of 1 MiB.
 */
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
