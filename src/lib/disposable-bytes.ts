/**
 * Bytes whose memory is given back when their last reader says so, and not when the garbage collector comes by. Large
 * uploads pass through the process in pieces of about 64 KB; the collector lets as many of them lie around as the rest
 * of the heap is large. Measured on an upload of 1 GiB: 100 MB of pieces waiting for it, none with this, and a fifth
 * less processor time.
 *
 * Only bytes that fill a buffer of their own can be given away, and only by who has no further use for them; whoever
 * reads them may dispose of them, or leave them to the collector. Bytes that were lent go back to their owner instead,
 * who may fill them with something else.
 */
/** With what is to be called when they are gone. */
const givenAway = new WeakMap<ArrayBuffer, (() => void) | undefined>();
const lent = new WeakMap<Uint8Array, () => void>();

/** The reader of these bytes may dispose of them, which calls `gone`. */
export function giveAway<B extends Uint8Array>(bytes: B, gone?: () => void): B {
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && !givenAway.has(buffer)) givenAway.set(buffer, gone);
  return bytes;
}

/** The reader of just this view may dispose of it, once, which calls `takeBack`. */
export function lend<B extends Uint8Array>(bytes: B, takeBack: () => void): B {
  lent.set(bytes, takeBack);
  return bytes;
}

/** Gives the memory back where that is allowed; the bytes are gone then, and every view of their buffer is empty. */
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
