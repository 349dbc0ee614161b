import type { Logger } from "../lib/logger.ts";

export const TOPICS = [
  "links",
  "tags",
  "domains",
  "settings",
  "users",
  "sessions",
  "tokens",
  "policies",
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
    tell: async (changes: readonly Change[], isCleaned = false): Promise<void> => {
      const calls = changes.flatMap((change) =>
        [...handlers.get(change.topic)!].map((one) => call(one, change, isCleaned)),
      );
      await Promise.all(calls);
    },
  };
}
