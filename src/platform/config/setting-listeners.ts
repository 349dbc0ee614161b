import type { Logger } from "../../lib/logger.ts";
import type { Snapshot } from "./snapshot.ts";
import type { ConfigKey, ConfigValues } from "./definitions.ts";

type Listener<K extends ConfigKey> = (
  value: ConfigValues[K],
  previous: ConfigValues[K],
) => void | Promise<void>;

export function createListeners(logger: Logger) {
  const byKey = new Map<ConfigKey, Set<Listener<never>>>();
  return {
    /** Calls `listener` after a changed value is in force. The feed waits for it. Returns how to unsubscribe. */
    add<K extends ConfigKey>(key: K, listener: Listener<K>): () => void {
      const heard = byKey.get(key) ?? new Set();
      byKey.set(key, heard.add(listener));
      return () => void heard.delete(listener);
    },
    async tell(previous: Snapshot, next: Snapshot): Promise<void> {
      const changed = [...byKey].filter(([key]) => previous.texts[key] !== next.texts[key]);
      for (const [key, heard] of changed) {
        for (const listener of heard) {
          try {
            await listener(next.values[key] as never, previous.values[key] as never);
          } catch (error) {
            logger.error(
              { key, err: error },
              "a setting changed, but a part of the program failed to apply it",
            );
          }
        }
      }
    },
  };
}
