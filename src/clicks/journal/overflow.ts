/** Clicks without a segment: a bounded ring in memory, lost on a kill. */
export type Overflow = {
  /** False if full: drop the click. */
  push(linkId: number, atMs: number, kind: number): boolean;
  /** Oldest first, while `store` returns true. */
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
