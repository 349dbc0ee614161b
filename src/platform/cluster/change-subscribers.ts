import type { Logger } from "../../lib/logger.ts";

export const TOPICS = [
  "links",
  "tags",
  "domains",
  "settings",
  "users",
  "sessions",
  "tokens",
  "policies",
  "mails",
  "webhooks",
  "clicks",
  "moves",
  "certificates",
  "restarts",
  "bulk",
] as const;

export type Topic = (typeof TOPICS)[number];

/**
 * Codes, setting keys or ids; `["*"]` is everything. `isCleaned`: the writer has removed old values from the shared
 * cache. Must be idempotent.
 */
export type ChangeHandler = (keys: readonly string[], isCleaned: boolean) => void | Promise<void>;

export type Change = { topic: Topic; keys: readonly string[] };

export function createSubscribers(logger: Logger) {
  const handlers = new Map<Topic, Set<ChangeHandler>>(TOPICS.map((topic) => [topic, new Set()]));
  const call = async (handler: ChangeHandler, { topic, keys }: Change, isCleaned: boolean): Promise<void> => {
    try {
      await handler(keys, isCleaned);
    } catch (error) {
      logger.error({ err: error, topic }, "a subscriber failed to apply a change");
    }
  };
  return {
    subscribe: (topic: Topic, handler: ChangeHandler) => {
      handlers.get(topic)!.add(handler);
      return () => {
        handlers.get(topic)!.delete(handler);
      };
    },
    /** Logs failures, because the change is committed. */
    notify: async (changes: readonly Change[], isCleaned = false): Promise<void> => {
      const calls = changes.flatMap((change) =>
        [...handlers.get(change.topic)!].map((one) => call(one, change, isCleaned)),
      );
      await Promise.all(calls);
    },
  };
}

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
