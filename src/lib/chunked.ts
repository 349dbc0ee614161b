export function* chunked<T>(items: readonly T[], size: number): Generator<readonly T[], void> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}

/** What `read` finds for all items, one portion after the other. */
export async function foundInChunks<T, R>(
  items: readonly T[],
  size: number,
  read: (chunk: readonly T[]) => Promise<Iterable<R>>,
): Promise<R[]> {
  const found: R[] = [];
  for (const chunk of chunked(items, size)) found.push(...(await read(chunk)));
  return found;
}
