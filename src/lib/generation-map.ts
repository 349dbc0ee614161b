/**
 * A bounded map without an eviction per entry. New entries go into the young generation; when full, it replaces the old
 * one. An entry that is set again stays.
 */
export type GenerationMap<V> = {
  get(key: string): V | undefined;
  has(key: string): boolean;
  set(key: string, value: V): void;
  delete(key: string): void;
  clear(): void;
  /** Makes the young generation the old one. */
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
