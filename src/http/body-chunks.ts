import { appError } from "../lib/errors.ts";

/**
 * The request's body as it comes in, without the server's idle timeout (see Connection.liftIdleTimeout) but with a
 * bound on each silence.
 * @throws BadRequest when the client goes away or is silent for `stallMs`
 */
export async function* bodyChunks(request: Request, stallMs: number): AsyncGenerator<Uint8Array, void> {
  if (request.body === null) return;
  const reader = request.body.getReader();
  let isOver = false;
  try {
    for (;;) {
      const next = await within(reader.read(), stallMs);
      isOver = next.done;
      if (next.done) return;
      yield next.value;
    }
  } finally {
    if (!isOver) reader.cancel().catch(() => undefined);
  }
}

async function within<T>(reading: Promise<T>, stallMs: number): Promise<T> {
  const { promise: stalled, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(appError("BadRequest", "The upload stalls.")), stallMs);
  const read = reading.catch((cause: unknown) => {
    throw appError("BadRequest", "The upload was cut off.", { cause });
  });
  // When it stalls, nobody looks at the read any more.
  read.catch(() => undefined);
  try {
    return await Promise.race([read, stalled]);
  } finally {
    clearTimeout(timer);
  }
}
