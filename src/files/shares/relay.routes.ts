/** Sends stored bytes to a visitor piece by piece. */
import { streamPages } from "../../platform/http/stream-pages.ts";
import type { Logger } from "../../lib/logger.ts";

export type Visitor = {
  liftIdleTimeout(): void;
  /** Closes the connection within seconds. */
  cut(): void;
};

export type Relay = {
  visitor: Visitor;
  logger: Logger;
  finished?(): Promise<void>;
  broken?(): Promise<void>;
};

/** Ends with `finished` after the last byte, or `broken`. */
export function relayTo(
  { visitor, logger, finished, broken }: Relay,
  stream: ReadableStream<Uint8Array>,
): Promise<ReadableStream<Uint8Array>> {
  visitor.liftIdleTimeout();
  return streamPages(watched(stream, finished, broken), {
    onFailure: (err) => logger.warn({ err }, "a download was cut off"),
    cut: visitor.cut,
    // No rest: storages with small chunks would be slow.
    restMs: 0,
  });
}

async function* watched(
  stream: ReadableStream<Uint8Array>,
  finished?: () => Promise<void>,
  broken?: () => Promise<void>,
): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const chunk of stream as unknown as AsyncIterable<Uint8Array>) yield chunk;
    await finished?.();
  } finally {
    await broken?.();
  }
}
