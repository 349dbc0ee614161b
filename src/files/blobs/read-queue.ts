/**
 * Bounds the memory of uploads that wait for blocks (hashes.ts); a read can return a megabyte (http/body-reader.ts).
 * While HELD_BYTES are held no upload of the storage reads; then one at a time does. Unread bytes stay in the kernel,
 * which slows the client down. A lone upload never waits.
 */

/** Bytes on their way into blocks. */
const HELD_BYTES = 256 * 1024;

export type ReadQueue = ReturnType<typeof createReadQueue>;

export function createReadQueue() {
  let held = 0;
  const waiting: (() => void)[] = [];
  let isWaking = false;

  /** An upload whose bytes are here calls `hold` before the next turn of the event loop. */
  function wake(): void {
    if (isWaking || held >= HELD_BYTES) return;
    const next = waiting.shift();
    if (next === undefined) return;
    isWaking = true;
    next();
    setImmediate(() => {
      isWaking = false;
      wake();
    });
  }

  return {
    /** Call the result once when the chunk is in blocks or discarded. */
    hold(bytes: number): () => void {
      held += bytes;
      isWaking = false;
      wake();
      return () => {
        held -= bytes;
        wake();
      };
    },
    isFree: (): boolean => held < HELD_BYTES && waiting.length === 0,
    /** Resolves when the caller may read. */
    wait: (): Promise<void> =>
      new Promise((resolve) => {
        waiting.push(resolve);
        wake();
      }),
  };
}

/** One queue for each policy: a storage that hangs stops only its own uploads. */
export function createReadQueues(): (policyId: number) => ReadQueue {
  const queues = new Map<number, ReadQueue>();
  return (policyId) => queues.getOrInsertComputed(policyId, createReadQueue);
}
