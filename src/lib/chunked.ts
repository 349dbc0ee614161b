export function* chunked<T>(items: readonly T[], size: number): Generator<readonly T[], void> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}
