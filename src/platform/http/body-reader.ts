/**
 * A connection gives up to half a megabyte at once and is paused while nobody reads. The reads after the first chunk
 * and after a large one start at once, so that bytes arrive while earlier ones are stored.
 */
import { giveAway } from "../../lib/disposable-bytes.ts";

export type BodyReadQueue = {
  isFree(): boolean;
  /** Resolves when the caller may read. */
  wait(): Promise<void>;
  /** Adds read bytes. Call the result once when they are released. */
  hold(bytes: number): () => void;
};

/** The client sends faster than the body is read. */
const LARGE_BYTES = 256 * 1024;
/** A body with a shorter Content-Length does not wait. */
const SHORT_BYTES = 256 * 1024;

export type BodyReader = ReturnType<typeof createBodyReader>;

export function createBodyReader(
  body: ReadableStream<Uint8Array>,
  headers: Headers,
  queue: BodyReadQueue | undefined,
) {
  const reader = body.getReader();
  const length = headers.get("content-length");
  const pace = length !== null && Number(length) <= SHORT_BYTES ? undefined : queue;
  let ahead: ReturnType<typeof reader.read> | undefined;
  let letGo: (() => void) | undefined;

  /** Releases on disposal, at the next read, or at the end. */
  function hold(bytes: number): () => void {
    let end = pace?.hold(bytes);
    letGo = () => {
      end?.();
      end = undefined;
    };
    return letGo;
  }

  return {
    /** Releases earlier bytes and waits. */
    async turn(): Promise<void> {
      letGo?.();
      if (pace !== undefined && ahead === undefined && !pace.isFree()) await pace.wait();
    },
    /** Dispose of the bytes; null at the end. */
    async read(): Promise<Uint8Array | null> {
      const reading = ahead ?? reader.read();
      ahead = undefined;
      const { value } = await reading;
      if (value === undefined) return null;
      const isFirstOfLong = letGo === undefined && pace !== undefined;
      if (isFirstOfLong || value.byteLength > LARGE_BYTES) {
        ahead = reader.read();
        ahead.catch(() => undefined);
      }
      const gone = hold(isFirstOfLong ? LARGE_BYTES : value.byteLength);
      return value.byteLength === value.buffer.byteLength ? giveAway(value, gone) : value;
    },
    cancel(): void {
      reader.cancel().catch(() => undefined);
    },
    close: () => letGo?.(),
  };
}
