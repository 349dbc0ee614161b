/**
 * Whose turn it is to read on, where many uploads to one storage wait for it. What a client has sent meanwhile may come
 * as one chunk of a megabyte (http/body-reader.ts), and would lie here until there are blocks for it (blobs/blocks.ts).
 * So nobody reads on, or begins to, while chunks of others wait; then one at a time does. What is not read stays with
 * its client, and at last in the kernel, which stops the client. An upload alone never waits, nor does one that waits
 * for its client keep a turn.
 */

/** As much may be on its way into blocks before others wait. */
const HELD_BYTES = 256 * 1024;

export type ReadQueue = ReturnType<typeof createReadQueue>;

export function createReadQueue() {
  let held = 0;
  const waiting: (() => void)[] = [];
  let isWaking = false;

  /** What the one who was woken reads is known by the next turn of the event loop, if it was there already. */
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
    /** A chunk has been read; call the result once when it is in blocks, or not wanted any more. */
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
    /** Resolves when it may be read on. */
    wait: (): Promise<void> =>
      new Promise((resolve) => {
        waiting.push(resolve);
        wake();
      }),
  };
}

/** The queues by policy: each storage has its own, so one that hangs holds nobody else up. */
export function createReadQueues(): (policyId: number) => ReadQueue {
  const queues = new Map<number, ReadQueue>();
  return (policyId) => {
    const known = queues.get(policyId) ?? createReadQueue();
    queues.set(policyId, known);
    return known;
  };
}
