/**
 * Codes that the database was asked for and doesn't have, remembered for a short while, at most `limit` of them.
 *
 * There are two sets, a young and an old one. New codes go into the young set; when it holds half of the limit or
 * half of the lifetime is over, it becomes the old one and the old one is dropped. So there is nothing to evict
 * one by one, and a code is forgotten after half of the lifetime at the earliest, after all of it at the latest.
 */
export type MissingCodes = {
  has(code: string, now: number): boolean;
  add(code: string, now: number): void;
  delete(code: string): void;
  clear(): void;
  size(): number;
};

export function createMissingCodes({ limit, lifeMs }: { limit: number; lifeMs: number }): MissingCodes {
  let young = new Set<string>();
  let old = new Set<string>();
  let turnedAt = Number.NEGATIVE_INFINITY;

  function turn(now: number): void {
    const age = now - turnedAt;
    // A clock that was set back makes everything too old rather than too young.
    const isOver = age >= lifeMs / 2 || age < 0;
    if (!isOver && young.size < limit / 2) return;
    old = age >= lifeMs || age < 0 ? new Set() : young;
    young = new Set();
    turnedAt = now;
  }

  return {
    has(code, now) {
      if (young.size + old.size === 0) return false;
      turn(now);
      return young.has(code) || old.has(code);
    },
    add(code, now) {
      turn(now);
      young.add(code);
    },
    delete(code) {
      young.delete(code);
      old.delete(code);
    },
    clear() {
      young.clear();
      old.clear();
    },
    size: () => young.size + old.size,
  };
}
