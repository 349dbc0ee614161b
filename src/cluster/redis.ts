/**
 * What nodes share in Redis: a channel for changes, and a place for cached values.
 *
 * Both lie under the installation's UUID, so several installations may use one Redis. Values belong to a generation,
 * a random text under `generationKey`. Whoever connects begins a new generation before it asks for anything: while it
 * was away (or was not yet there) links may have changed without anybody being able to delete their values, and Redis
 * may have come back with what it had an hour ago. Values of another generation are as good as not there.
 */
import type { Logger } from "../lib/logger.ts";
import { withTimeout } from "../lib/timeout.ts";
import { createRedisBus, type RedisBus } from "./redis-bus.ts";
import { connectRedis, type RedisLimits } from "./redis-connection.ts";

export type Redis = {
  bus: RedisBus;
  /** See RedisConnection.send. */
  send(command: string, args: readonly string[]): Promise<unknown>;
  /** The key under which the values' generation stands: GENERATION_LENGTH characters, never the same twice. */
  generationKey: string;
  /** The name of this installation's thing in Redis. */
  key(kind: string, name: string): string;
  /** Whether both connections answer now; within a second, never rejects. */
  check(): Promise<boolean>;
  close(): void;
};

export const GENERATION_LENGTH = 16;
/** How long a start waits for the first connection. */
const START_MS = 1_000;

export const newCacheGeneration = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(GENERATION_LENGTH / 2))).toString("hex");

type Options = {
  url: string;
  /** The installation's UUID. */
  instance: string;
  logger: Logger;
  limits?: Partial<RedisLimits>;
};

/** Resolves connected, or with Redis away; then it connects later by itself. @throws BadRequest for a bad URL */
export async function openRedis({ url, instance, logger, limits = {} }: Options): Promise<Redis> {
  const key = (kind: string, name: string) => `waymark:${instance}:${kind}:${name}`;
  const generationKey = key("cache", "generation");
  const values = connectRedis({
    url,
    purpose: "cache",
    prepare: (client) => client.set(generationKey, newCacheGeneration()),
    logger,
    limits,
  });
  const bus = createRedisBus({
    channel: key("bus", "changes"),
    origin: crypto.randomUUID(),
    send: values.send,
    logger,
  });
  const listening = connectRedis({ url, purpose: "changes", prepare: bus.listenOn, logger, limits });
  await withTimeout<unknown>(
    START_MS,
    Promise.all([values.attempted(), listening.attempted()]),
    () => undefined,
  );
  return {
    bus,
    send: values.send,
    generationKey,
    key,
    check: async () => (await Promise.all([values.check(), listening.check()])).every(Boolean),
    close() {
      values.close();
      listening.close();
    },
  };
}
