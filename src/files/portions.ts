export type PortionRun<T> = {
  /** Items of a full portion. */
  most: number;
  /**
   * Works on at most `limit` items, all or none, and reports them to `tries`, again if it restarts. Returns whether
   * something is left.
   */
  run(limit: number, tries: (items: readonly T[]) => void): Promise<boolean>;
  /** One item may have caused the failure. */
  isLasting(error: unknown): boolean;
  /** Later runs leave it out. */
  setAside(item: T, error: unknown): void;
  signal?: AbortSignal | undefined;
};

/**
 * Works in portions until nothing is left. After a failure portions shrink, down to the item that fails alone, then
 * grow again.
 */
export async function inPortions<T>({
  most,
  run,
  isLasting,
  setAside,
  signal,
}: PortionRun<T>): Promise<void> {
  for (let limit = most; signal?.aborted !== true; ) {
    let tried: readonly T[] = [];
    try {
      const isLeft = await run(limit, (items) => void (tried = items));
      if (!isLeft) return;
      limit = Math.min(limit * 2, most);
    } catch (error) {
      if (tried.length === 0 || !isLasting(error)) throw error;
      if (tried.length > 1) limit = Math.max(1, Math.floor(Math.min(limit, tried.length) / 4));
      else setAside(tried[0]!, error);
    }
  }
}
