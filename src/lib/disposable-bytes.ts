/**
 * Bytes whose last reader frees their memory before the garbage collector. Large uploads arrive in pieces of 64 KB, of
 * which the collector leaves as many as the heap is large. Measured on an upload of 1 GiB: 100 MB of waiting pieces,
 * none with this, and a fifth less processor time.
 *
 * Only bytes that fill their own buffer may be given away. Lent bytes return to their owner for reuse.
 */
/** With the callback for their disposal. */
const givenAway = new WeakMap<ArrayBuffer, (() => void) | undefined>();
const lent = new WeakMap<Uint8Array, () => void>();

/** Allows the reader to dispose of these bytes, which calls `gone`. */
export function giveAway<B extends Uint8Array>(bytes: B, gone?: () => void): B {
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && !givenAway.has(buffer)) givenAway.set(buffer, gone);
  return bytes;
}

/** Allows the reader of this view to dispose of it once, which calls `takeBack`. */
export function lend<B extends Uint8Array>(bytes: B, takeBack: () => void): B {
  lent.set(bytes, takeBack);
  return bytes;
}

/** Frees the memory if allowed. Every view of the buffer is empty afterwards. */
export function dispose(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && givenAway.has(buffer)) {
    const gone = givenAway.get(buffer);
    givenAway.delete(buffer);
    buffer.transfer(0);
    gone?.();
  }
  const takeBack = lent.get(bytes);
  lent.delete(bytes);
  takeBack?.();
}
