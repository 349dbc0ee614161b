import { appError } from "../../lib/errors.ts";
import { withTimeout } from "../../lib/timeout.ts";
import { createBodyReader, type BodyReadQueue } from "./body-reader.ts";

export type ChunkOptions = {
  /** Longest silence of the client. */
  stallMs: number;
  /** Limits the whole body; unbounded by default. */
  sendMs?: number;
  readQueue?: BodyReadQueue | undefined;
};

/**
 * Dispose of the chunks (lib/disposable-bytes.ts). Lift the idle timeout before reading for minutes. @throws BadRequest
 * if the client leaves or is too slow
 */
export async function* bodyChunks(
  { body, headers }: Request,
  { stallMs, sendMs = Number.POSITIVE_INFINITY, readQueue }: ChunkOptions,
): AsyncGenerator<Uint8Array, void> {
  if (body === null) return;
  const reader = createBodyReader(body, headers, readQueue);
  const end = performance.now() + sendMs;
  let isOver = false;
  try {
    for (;;) {
      await reader.turn();
      const leftMs = end - performance.now();
      if (leftMs <= 0) throw tooSlow();
      const next = await within(reader.read(), Math.min(stallMs, leftMs));
      isOver = next === null;
      if (next === null) return;
      yield next;
    }
  } finally {
    if (!isOver) reader.cancel();
    reader.close();
  }
}

const within = <T>(reading: Promise<T>, ms: number): Promise<T> =>
  withTimeout(
    ms,
    reading.catch((cause: unknown) => {
      throw appError("BadRequest", "The connection closed before the body was complete.", { cause });
    }),
    () => {
      throw tooSlow();
    },
  );

const tooSlow = () => appError("BadRequest", "The body arrives too slowly.");
