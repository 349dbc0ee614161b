/**
 * A bounded map that evicts by generation instead of by entry: when the young generation is full, it replaces the old
 * one. Setting an entry again keeps it.
 */
/** Holds between one and two generations. */
export function createGenerationMap<V>(generationSize: number) {
  let young = new Map<string, V>();
  let old = new Map<string, V>();

  function turn(): void {
    old = young;
    young = new Map();
  }

  return {
    get: (key: string): V | undefined => young.get(key) ?? old.get(key),
    has: (key: string): boolean => young.has(key) || old.has(key),
    set(key: string, value: V): void {
      if (young.size >= generationSize && !young.has(key)) turn();
      young.set(key, value);
    },
    delete(key: string): void {
      young.delete(key);
      old.delete(key);
    },
    clear(): void {
      young.clear();
      old.clear();
    },
    turn,
    size: (): number => young.size + old.size,
  };
}
