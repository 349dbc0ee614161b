/**
 * A request's body as a stream. It takes from its connection what its reader asks for: while nobody reads, the
 * connection is paused and the system makes the client wait.
 */
import type { BodyDecoder } from "./body-decoder.ts";

export type RequestBody = ReturnType<typeof createRequestBody>;

type Flow = {
  decoder: BodyDecoder;
  pause(): void;
  resume(): void;
  /** The client waits for `100 Continue` before it sends the body. */
  expectsContinue: boolean;
  send(bytes: Uint8Array): void;
};

/** The rest of a body that is read and dropped to keep the connection. */
const MOST_DROPPED_BYTES = 256 * 1024;
const CONTINUE = Buffer.from("HTTP/1.1 100 Continue\r\n\r\n");

export function createRequestBody({ decoder, pause, resume, expectsContinue, send }: Flow) {
  let controller: ReadableStreamDefaultController<Uint8Array>;
  let awaitsContinue = expectsContinue;
  let isDiscarded = false;
  let isClosed = false;
  let isBroken = false;

  const stream = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given;
      },
      pull() {
        if (isClosed) return;
        if (awaitsContinue) send(CONTINUE);
        awaitsContinue = false;
        resume();
      },
      cancel: discard,
    },
    { highWaterMark: 0 },
  );

  function discard(): void {
    isDiscarded = true;
    resume();
  }

  function give(piece: Uint8Array): void {
    if (!isDiscarded && !isClosed) controller.enqueue(piece);
  }

  function close(): void {
    if (isClosed) return;
    isClosed = true;
    if (!isDiscarded) controller.close();
  }

  function decode(bytes: Uint8Array): number {
    try {
      return decoder.push(bytes, give);
    } catch (error) {
      isBroken = true;
      fail(error as Error);
      return bytes.length;
    }
  }

  function fail(error: Error): void {
    if (isClosed || isDiscarded) return;
    isClosed = true;
    controller.error(error);
  }

  return {
    stream,
    /** The number of bytes that belong to the body: all of them, if they are malformed. */
    push(bytes: Uint8Array): number {
      if (bytes.length > 0) awaitsContinue = false;
      const taken = decode(bytes);
      if (decoder.isDone()) close();
      else if (!isDiscarded && (controller.desiredSize ?? 0) < 0) pause();
      return taken;
    },
    /** The connection has ended. */
    leave: (): void => fail(new Error("the connection closed before the body was complete")),
    /** The rest is not kept. */
    discard,
    /** All bytes have arrived. */
    isComplete: decoder.isDone,
    /** Bytes were malformed, and what follows has no meaning. */
    isBroken: (): boolean => isBroken,
    /** Its rest is short, and comes before another request. */
    canBeDropped: (): boolean =>
      !awaitsContinue && (decoder.left() ?? Number.POSITIVE_INFINITY) <= MOST_DROPPED_BYTES,
  };
}
