import { appError } from "../lib/errors.ts";
import { withTimeout } from "../lib/timeout.ts";
import { createBodyReader, type BodyReadQueue } from "./body-reader.ts";

/**
 * The request's body as it comes in, without the server's idle timeout (see Connection.liftIdleTimeout) but with a
 * bound on each silence. The chunks are the reader's, who should dispose of them (lib/disposable-bytes.ts).
 * @throws BadRequest when the client goes away or is silent for `stallMs`
 */
export async function* bodyChunks(
  { body, headers }: Request,
  stallMs: number,
  readQueue?: BodyReadQueue,
): AsyncGenerator<Uint8Array, void> {
  if (body === null) return;
  const reader = createBodyReader(body, headers, readQueue);
  let isOver = false;
  try {
    for (;;) {
      await reader.turn();
      const next = await within(reader.read(), stallMs);
      isOver = next === null;
      if (next === null) return;
      yield next;
    }
  } finally {
    if (!isOver) reader.cancel();
    reader.close();
  }
}

const within = <T>(reading: Promise<T>, stallMs: number): Promise<T> =>
  withTimeout(
    stallMs,
    reading.catch((cause: unknown) => {
      throw appError("BadRequest", "The upload was cut off.", { cause });
    }),
    () => {
      throw appError("BadRequest", "The upload stalls.");
    },
  );
