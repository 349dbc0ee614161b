/**
 * A bounded map that evicts by generation instead of by entry: when the young generation is full, it replaces the old
 * one. Setting an entry again keeps it.
 */
export type GenerationMap<V> = {
  get(key: string): V | undefined;
  has(key: string): boolean;
  set(key: string, value: V): void;
  delete(key: string): void;
  clear(): void;
  turn(): void;
  size(): number;
};

/** Holds between one and two generations. */
export function createGenerationMap<V>(generationSize: number): GenerationMap<V> {
  let young = new Map<string, V>();
  let old = new Map<string, V>();

  function turn(): void {
    old = young;
    young = new Map();
  }

  return {
    get: (key) => young.get(key) ?? old.get(key),
    has: (key) => young.has(key) || old.has(key),
    set(key, value) {
      if (young.size >= generationSize && !young.has(key)) turn();
      young.set(key, value);
    },
    delete(key) {
      young.delete(key);
      old.delete(key);
    },
    clear() {
      young.clear();
      old.clear();
    },
    turn,
    size: () => young.size + old.size,
  };
}
