import { TOPICS, type Change } from "./change-subscribers.ts";

/** A write of more keys counts as "everything". */
const MAX_KEYS = 100_000;

/** Unique keys per topic. Skips topics of a newer version. */
export function collectChanges(noted: readonly { topic: string; keys: readonly string[] }[]): Change[] {
  const notes = createChangeNotes();
  for (const { topic, keys } of noted) notes.add(topic, keys);
  return notes.all();
}

/** Deduplicates keys as they come: 100,000 at the end would block the event loop. */
export function createChangeNotes() {
  const keysOf = new Map<string, Set<string>>();
  return {
    add(topic: string, keys: readonly string[]): void {
      const known = keysOf.getOrInsertComputed(topic, () => new Set());
      for (const key of known.has("*") ? [] : keys) known.add(key);
      if (known.size <= MAX_KEYS) return;
      known.clear();
      known.add("*");
    },
    all: (): Change[] =>
      TOPICS.flatMap((topic) => {
        const keys = keysOf.get(topic) ?? new Set();
        if (keys.size === 0) return [];
        return [{ topic, keys: keys.has("*") ? ["*"] : [...keys] }];
      }),
  };
}
