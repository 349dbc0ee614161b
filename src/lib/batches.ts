/** Batches concurrent work without delay: items that arrive while a batch of their key runs form the next one. */
export type BatchSettings<K, T, R> = {
  most: number;
  /** One outcome per item, in order. A rejection fails all of them. */
  run(items: readonly T[], key: K): Promise<readonly PromiseSettledResult<R>[]>;
};

type Waiting<T, R> = { item: T; resolve(result: R): void; reject(reason: unknown): void };

/** At most one batch of a key runs at a time. */
export function createBatches<K, T, R>({ most, run }: BatchSettings<K, T, R>) {
  /** Items for the next batch of each key that has one running. */
  const queues = new Map<K, Waiting<T, R>[]>();

  async function work(key: K, queue: Waiting<T, R>[]): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.splice(0, most);
      try {
        const results = await run(
          batch.map(({ item }) => item),
          key,
        );
        for (const [at, { resolve, reject }] of batch.entries()) {
          const result = results[at]!;
          if (result.status === "fulfilled") resolve(result.value);
          else reject(result.reason);
        }
      } catch (reason) {
        for (const { reject } of batch) reject(reason);
      }
    }
    queues.delete(key);
  }

  return (key: K, item: T): Promise<R> =>
    new Promise((resolve, reject) => {
      const waiting = { item, resolve, reject };
      const queue = queues.get(key);
      if (queue !== undefined) {
        queue.push(waiting);
        return;
      }
      const first = [waiting];
      queues.set(key, first);
      void work(key, first);
    });
}
