/**
 * What `read` finds after a key, page by page; the next one is read when the consumer is done with the last. A page that
 * is not full is the last one.
 */
export async function* pagesAfter<T, K>(
  first: K,
  most: number,
  read: (after: K, limit: number) => Promise<T[]>,
  keyOf: (last: T) => K,
): AsyncGenerator<T[], void> {
  for (let after = first; ; ) {
    const page = await read(after, most);
    if (page.length > 0) yield page;
    if (page.length < most) return;
    after = keyOf(page.at(-1)!);
  }
}
