/** Clicks without a segment: a bounded ring in memory, lost on a kill. */
export type Overflow = ReturnType<typeof createOverflow>;

export function createOverflow(capacity: number) {
  let links: Float64Array | undefined;
  let times: Float64Array | undefined;
  let kinds: Uint8Array | undefined;
  let first = 0;
  let size = 0;
  return {
    /** False if full: drop the click. */
    push(linkId: number, atMs: number, kind: number): boolean {
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
    /** Oldest first, while `store` returns true. */
    drain(store: (linkId: number, atMs: number, kind: number) => boolean): void {
      while (size > 0 && store(links![first]!, times![first]!, kinds![first]!)) {
        first = (first + 1) % capacity;
        size -= 1;
      }
    },
    size: (): number => size,
  };
}
