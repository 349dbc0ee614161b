import { appError } from "../lib/errors.ts";
import { withTimeout } from "../lib/timeout.ts";
import { createBodyReader, type BodyReadQueue } from "./body-reader.ts";

export type ChunkOptions = {
  /** The client's longest silence. */
  stallMs: number;
  /** How long the client may take to send everything; any time unless set. */
  sendMs?: number;
  readQueue?: BodyReadQueue | undefined;
};

/**
 * The request's body as it comes in. Whoever takes minutes lifts the server's idle timeout
 * (Connection.liftIdleTimeout). The chunks are the reader's, who should dispose of them (lib/disposable-bytes.ts).
 * @throws BadRequest when the client goes away or is too slow
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
      throw appError("BadRequest", "The connection ended before the body did.", { cause });
    }),
    () => {
      throw tooSlow();
    },
  );

const tooSlow = () => appError("BadRequest", "The body comes in too slowly.");
