/**
 * Work of neighbours in time, done together. What comes while a batch of its key is under way forms the next one, so
 * nobody waits for company, and the more come at once, the less each of them costs.
 */
export type BatchSettings<K, T, R> = {
  /** Items of one batch, at most. */
  most: number;
  /** One outcome for each item, in their order. When it rejects, all of them fail with its reason. */
  run(items: readonly T[], key: K): Promise<readonly PromiseSettledResult<R>[]>;
};

type Waiting<T, R> = { item: T; resolve(result: R): void; reject(reason: unknown): void };

/** The function takes an item into a batch of its key, of which one at a time is under way. */
export function createBatches<K, T, R>({ most, run }: BatchSettings<K, T, R>) {
  /** Of the keys that have a batch under way. */
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
