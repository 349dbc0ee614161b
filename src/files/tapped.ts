/** What passes, after its length was told. `tell` may throw, which ends it. */
export async function* tapped<T extends Uint8Array>(
  source: AsyncIterable<T>,
  tell: (bytes: number) => void,
): AsyncGenerator<T, void> {
  for await (const piece of source) {
    tell(piece.byteLength);
    yield piece;
  }
}
