/**
 * Clicks that no segment can take for the moment: a bounded ring in memory, so these do not survive a kill.
 * Its columns are made at the first use.
 */
export type Overflow = {
  /** False when it is full; the click is not kept then. */
  push(linkId: number, atMs: number, kind: number): boolean;
  /** Hands out the oldest clicks while `store` takes them (answers true). */
  drain(store: (linkId: number, atMs: number, kind: number) => boolean): void;
  size(): number;
};

export function createOverflow(capacity: number): Overflow {
  let links: Float64Array | undefined;
  let times: Float64Array | undefined;
  let kinds: Uint8Array | undefined;
  let first = 0;
  let size = 0;
  return {
    push(linkId, atMs, kind) {
      if (size === capacity) return false;
      links ??= new Float64Array(capacity);
      times ??= new Float64Array(capacity);
      kinds ??= new Uint8Array(capacity);
      const place = (first + size) % capacity;
      links[place] = linkId;
      times[place] = atMs;
      kinds[place] = kind;
      size += 1;
      return true;
    },
    drain(store) {
      while (size > 0 && store(links![first]!, times![first]!, kinds![first]!)) {
        first = (first + 1) % capacity;
        size -= 1;
      }
    },
    size: () => size,
  };
}
