/**
 * Nodes share changes and cached values in Redis, under the installation's UUID. Values belong to a generation, a
 * random text under `generationKey`; others are ignored. Every new connection starts one: links may have changed
 * without deletions meanwhile, and Redis may have restored old data.
 */
import type { Logger } from "../../lib/logger.ts";
import { withTimeout } from "../../lib/timeout.ts";
import { createRedisBus } from "./redis-bus.ts";
import { connectRedis, type RedisLimits } from "./redis-connection.ts";

export type Redis = Awaited<ReturnType<typeof openRedis>>;

export const GENERATION_LENGTH = 16;
/** A start waits this long for the first connection. */
const START_MS = 1_000;

export const newCacheGeneration = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(GENERATION_LENGTH / 2))).toString("hex");

type Options = {
  url: string;
  /** UUID of the installation. */
  instance: string;
  logger: Logger;
  limits?: Partial<RedisLimits>;
};

/** Without Redis it resolves too, and connects later. @throws BadRequest for an invalid URL */
export async function openRedis({ url, instance, logger, limits = {} }: Options) {
  const key = (kind: string, name: string) => `waymark:${instance}:${kind}:${name}`;
  // Of the form of the values: a version that writes others has a generation of its own.
  const generationKey = key("cache", "generation3");
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
    /** Holds the generation: GENERATION_LENGTH characters. */
    generationKey,
    key,
    /** Both connections respond within a second. Never rejects. */
    check: async (): Promise<boolean> =>
      (await Promise.all([values.check(), listening.check()])).every(Boolean),
    refusal: (): string | null => values.refusal() ?? listening.refusal(),
    close(): void {
      values.close();
      listening.close();
    },
  };
}
