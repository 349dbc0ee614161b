/** Changes between nodes, on one channel of the installation. The feed makes up for a lost message within a second. */
import type { RedisClient } from "bun";
import { chunked } from "../../lib/chunked.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Bus, ChangeMessage, ChangeMessageHandler } from "./changes.ts";
import { type Change, type Topic, TOPICS } from "./change-subscribers.ts";

/** Splits imports, so that no message blocks Redis. */
const KEYS_A_MESSAGE = 2_000;

type Deps = {
  channel: string;
  origin: string;
  /** Rejects while Redis is away. */
  send(command: string, args: readonly string[]): Promise<unknown>;
  logger: Logger;
};

export type RedisBus = Omit<Bus, "publish"> & {
  /**
   * True if Redis accepted it. Then Redis has executed all earlier commands of this connection, or this process has
   * begun a new generation (redis.ts): the shared cache holds nothing older.
   */
  publish(news: ChangeMessage): Promise<boolean>;
  /** Subscribes on a new connection. */
  listenOn(client: RedisClient): Promise<unknown>;
};

export function createRedisBus({ channel, origin, send, logger }: Deps): RedisBus {
  const handlers = new Set<ChangeMessageHandler>();

  function hear(message: string): void {
    const received = readMessage(message);
    if (received === null)
      return logger.debug({ bytes: message.length }, "a message from Redis can't be read");
    if (received.origin === origin) return;
    for (const handler of handlers) {
      handler(received.news).catch((error: unknown) =>
        logger.error({ err: error }, "a change could not be applied"),
      );
    }
  }

  return {
    async publish(news) {
      const sending = portions(news).map((portion) =>
        send("PUBLISH", [channel, JSON.stringify({ origin, ...portion })]),
      );
      return (await Promise.allSettled(sending)).every(({ status }) => status === "fulfilled");
    },
    subscribe(handler) {
      handlers.add(handler);
      return () => handlers.delete(handler);
    },
    listenOn: (client) => client.subscribe(channel, hear),
  };
}

function portions(news: ChangeMessage): ChangeMessage[] {
  if (news.changes.every(({ keys }) => keys.length <= KEYS_A_MESSAGE)) return [news];
  return news.changes.flatMap(({ topic, keys }) =>
    [...chunked(keys, KEYS_A_MESSAGE)].map((some) => ({
      ...news,
      write: null,
      changes: [{ topic, keys: some }],
    })),
  );
}

/** Returns null for a foreign message. Skips topics of a newer version. */
function readMessage(message: string): { origin: string; news: ChangeMessage } | null {
  try {
    const { origin, write, changes } = JSON.parse(message) as Record<string, unknown>;
    if (typeof origin !== "string" || !Array.isArray(changes)) return null;
    const known = changes.filter(isChange);
    return {
      origin,
      news: { write: typeof write === "string" ? write : null, changes: known, isCleaned: true },
    };
  } catch {
    return null;
  }
}

function isChange(change: Partial<Change> | null): change is Change {
  return (
    TOPICS.includes(change?.topic as Topic) &&
    Array.isArray(change?.keys) &&
    change.keys.every((key) => typeof key === "string")
  );
}

/** Publishes to nodes first: their reply shows whether the shared cache is clean. */
export function combineBuses(nodes: RedisBus, workers: Bus): Bus {
  return {
    async publish(news) {
      const isCleaned = await nodes.publish(news);
      await workers.publish({ ...news, isCleaned });
    },
    subscribe(handler) {
      const stops = [nodes.subscribe(handler), workers.subscribe(handler)];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}
