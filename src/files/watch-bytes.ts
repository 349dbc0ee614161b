/** Passes pieces on after it called `onBytes` with their length. An error of `onBytes` ends it. */
export async function* watchBytes<T extends Uint8Array>(
  source: AsyncIterable<T>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<T, void> {
  for await (const piece of source) {
    onBytes(piece.byteLength);
    yield piece;
  }
}
